import { createMembership } from 'membership'
import options from '../../membership.config.mjs'

let opened
/** Opened with the first request, not while Astro builds. */
export const instance = () => {
  opened ??= createMembership(options)
  return opened
}
