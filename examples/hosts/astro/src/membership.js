import { createMembership } from 'membership'
import { settings } from '../../settings.mjs'

let opened
/** Opened with the first request, not while Astro builds. */
export const instance = () => {
  opened ??= createMembership(settings)
  return opened
}
