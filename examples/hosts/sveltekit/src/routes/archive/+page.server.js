import { error } from '@sveltejs/kit'
import { membership } from 'membership'

export const load = async ({ locals, setHeaders }) => {
  setHeaders({ 'cache-control': 'private, no-store' })
  const denied = await membership().guard('pro')(locals.membership)
  if (denied) error(denied.status, denied.message)
}
