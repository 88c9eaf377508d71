import type { Place } from './contract.ts'
import { str } from './narrow.ts'

/**
 * Reads the place of an address, as a field to spread into a snapshot. Providers write a state as `CA`, `US-CA` or
 * `California`. Nothing is known of an address in the United States without a state.
 */
export function placeIn(country: unknown, state: unknown): { readonly place?: Place } {
  const [land, region] = [str(country)?.toUpperCase(), str(state)?.toUpperCase().replace(/^US-/, '')]
  if (land === undefined) return {}
  if (land !== 'US' && land !== 'USA') return { place: 'elsewhere' }
  if (region === undefined) return {}
  return { place: region === 'CA' || region === 'CALIFORNIA' ? 'california' : 'elsewhere' }
}
