import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { readContent } from '../accounts/content.ts'
import type { AccountPlace } from '../accounts/find-accounts.ts'
import { providerData, toAccount, type V1Account } from '../accounts/read.ts'
import type { SiteFacts } from '../plan.ts'
import { toSource } from '../source.ts'

/** An account of version 1, and where it is written. */
export interface Kept {
  readonly name: string
  readonly account: V1Account
  /** The file with the provider's data, below the site's folder. */
  readonly file: string | null
  readonly index: number
  readonly unwritable: string | null
}

/** The accounts of one place. @throws ERR_USAGE where they are those of version 2 */
export const accountsOf = (root: string, place: AccountPlace, facts: SiteFacts): Kept[] =>
  readContent(place).map((content, index) => {
    const data = providerData(content, facts, [])
    if (data?.payments !== undefined)
      throw new MembershipError('ERR_USAGE', 'The accounts are those of version 2. Nothing was written.', {
        action: 'First take the migration back: membership migrate my-site --rollback',
      })
    const account = toAccount(content, facts)
    const trouble = account.troubles.find(
      ({ code }) => code !== 'password-unknown' && code !== 'payment-unclear',
    )
    return {
      name: place.isFolder ? place.name : `${place.name}#${account.id}`,
      account,
      file: place.isFolder ? contentFile(root, place, facts) : place.name,
      index,
      unwritable: trouble?.reason ?? null,
    }
  })

/** Where the data of an account stands, or would. */
const contentFile = (root: string, { path, name }: AccountPlace, { field }: SiteFacts): string | null => {
  const files = readdirSync(path)
    .filter((file) => /^(user(\.\w+)?\.txt|(user|account|index)\.(json|ya?ml))$/i.test(file))
    .sort()
  const has = files.find((file) =>
    new RegExp(`(^|["'\\s])${field.replace(/[^\w]/g, '.')}["']?\\s*:`, 'im').test(
      textOf(root, `${name}/${file}`),
    ),
  )
  const file = has ?? files[0]
  return file === undefined ? null : `${name}/${file}`
}

/** A file's text; empty where there is none that can be edited. */
export const textOf = (root: string, file: string): string => {
  const path = join(root, file)
  const source = existsSync(path) ? toSource(file, readFileSync(path)) : ''
  return typeof source === 'string' ? '' : source.text
}
