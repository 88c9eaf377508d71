import { error } from '@sveltejs/kit'
import { membership } from 'membership'

export const load = async ({ locals, setHeaders }) => {
  setHeaders({ 'cache-control': 'private, no-store' })
  const guard = await membership().guard('pro')(locals.membership)
  if (!guard.allowed) error(guard.error.status, guard.error.message)
}
