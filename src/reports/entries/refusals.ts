import { MembershipError } from '../../core/errors.ts'
import type { Entry } from './record.ts'

/** Builds the same answer for another partner's website as for one that does not exist. */
export function notYours(id: string) {
  return new MembershipError('ERR_NOT_FOUND', `There is no website "${id.slice(0, 60)}" in your account.`, {
    action: 'Your websites and their ids: curl -H "X-API-KEY: $KEY" {base}/reports',
  })
}

/** @throws ERR_SYSTEM_NOT_DETECTED, ERR_SITE_UNREACHABLE for a website that did not come into the index */
export function throwForState({ row, data }: Entry): void {
  if (row.indexed === 1 || row.status === 'pending') return
  const action = `Mend it, then: curl -X PATCH -H "X-API-KEY: $KEY" {base}/reports/${row.id} (readable there for 30 days)`
  if (row.status === 'rejected') {
    const { name, confidence, certainty } = data.system
    const { channels, evidence, summary, other_system } = data.details
    const cut = data.details.cut ? ` ${cutAs(data.details.cut)}` : ''
    const isProbable = certainty === 'probable' && !other_system
    const found = other_system
      ? ` It ${other_system.certainty === 'probable' ? 'probably ' : ''}runs ${other_system.name}.`
      : isProbable
        ? ` It probably runs ${name}, but a single sign does not prove it.`
        : ''
    throw new MembershipError(
      'ERR_SYSTEM_NOT_DETECTED',
      `${row.url} does not show that it runs ${name}: ${summary ?? `${confidence} of 100`}.${found}${cut}`,
      {
        action,
        extensions: {
          id: row.id,
          score: confidence,
          ...(certainty === undefined ? {} : { certainty }),
          channels,
          evidence,
          ...(other_system ? { other_system: other_system.name } : {}),
        },
      },
    )
  }
  const http_status = data.details.checks[0]?.http_status ?? undefined
  throw new MembershipError('ERR_SITE_UNREACHABLE', `${row.url} could not be read: ${data.status_reason}.`, {
    action,
    extensions: {
      id: row.id,
      reason: data.status_reason,
      ...(http_status === undefined ? {} : { http_status }),
    },
  })
}

function cutAs({ at, head_tail_read }: NonNullable<Entry['data']['details']['cut']>): string {
  return `The page was cut at ${{ size: '1 MB', tags: '50 000 tags', depth: '512 levels' }[at]}${
    head_tail_read ? '; the end of its head was read all the same' : ''
  }: signs beyond that are not seen.`
}
