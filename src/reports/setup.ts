import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../core/config/index.ts'
import { MembershipError } from '../core/errors.ts'
import { packageFolder } from '../core/pages/index.ts'
import { loadFingerprints } from './detection/index.ts'

/** The fingerprints of the system that the index is for, and of the others. @throws ERR_CONFIG */
export const findFingerprints = (system: string | null, root: string | null) => {
  const folderOf = (place: string) => join(place, 'config', 'fingerprints')
  // A site need not have fingerprints of its own.
  const own = root === null || !existsSync(folderOf(root)) ? [] : [folderOf(root)]
  const all = loadFingerprints([folderOf(packageFolder()), ...own])
  const wanted = system === null ? undefined : all.get(system)
  if (wanted) return { wanted, others: [...all.values()].filter((fingerprint) => fingerprint !== wanted) }
  throw new MembershipError(
    'ERR_CONFIG',
    system === null
      ? 'There is no website index: membership.reports.system is not set.'
      : `membership.reports.system is "${system}"; there are fingerprints of ${[...all.keys()].join(', ')}.`,
    { action: 'Set membership.reports.system to one of them, or add config/fingerprints/{name}.yml.' },
  )
}

/** Contact for partners and site owners: anybody who finds us in a log must be able to reach somebody.
 *  @throws ERR_CONFIG */
export const contactOf = ({ reports, url }: Config): string => {
  const contact = reports.contact ?? url
  if (contact !== null) return contact
  throw new MembershipError(
    'ERR_CONFIG',
    'The website index has no contact: membership.reports.contact is not set.',
    {
      action: 'Set it to an address or an e-mail where partners and site owners reach you.',
    },
  )
}
