import { MembershipError } from '../core/errors.ts'
import type { ReportsApi } from '../reports/index.ts'
import { notThere } from './action-subjects.ts'
import type { Plan, TextOf } from './confirming.ts'
import { about, actorOf } from './partner-actions.ts'

type Index = Pick<ReportsApi, 'partners' | 'keys' | 'operator'>

/** The office's actions on the website index, by their names in the address. The commands do the same. */
export function websiteIndexActions(index: Index): ReadonlyMap<string, Plan> {
  return new Map<string, Plan>([
    ['key-revoke', revokeKey(index)],
    ['partner-suspend', setStatus(index, 'suspended')],
    ['partner-activate', setStatus(index, 'active')],
    ['exclude', exclude(index)],
    ['restore', restore(index)],
    ['relink-undo', undoRelink(index)],
  ])
}

function revokeKey({ keys }: Index): Plan {
  return async ({ text, who }) => {
    const id = text('key_id')
    const key = (await keys.list()).find((item) => item.id === id)
    if (key === undefined) throw notThere('key', id)
    return {
      ...about('key-revoke', key.id, { key_id: key.id }),
      says: [{ key: 'do.key-revoke.says', fill: { ending: key.last_four } }],
      run: () => keys.revoke(key.id, actorOf(who.name)),
      after: () => ({ partner: key.partner_id }),
      shown: () => ({ key: 'do.key-revoke.shown' }),
    }
  }
}

function setStatus({ partners }: Index, status: 'active' | 'suspended'): Plan {
  return async ({ text, who }) => {
    const id = text('partner')
    const partner = (await partners.list()).find((item) => item.id === id)
    if (partner === undefined) throw notThere('partner', id)
    const name = status === 'active' ? 'partner-activate' : 'partner-suspend'
    return {
      ...about(name, partner.id, { partner: partner.id }),
      before: { status: partner.status },
      says: [{ key: `do.${name}.says`, fill: { who: partner.name } }],
      run: () => partners.setStatus(partner.id, status, actorOf(who.name)),
      after: () => ({ status }),
      shown: () => ({ key: 'do.index.shown' }),
    }
  }
}

function exclude({ operator }: Index): Plan {
  return ({ text, who }) => {
    const [pattern, reason] = [needed(text, 'pattern'), needed(text, 'reason')]
    return {
      ...about('exclude', pattern, { pattern, reason }),
      says: [{ key: 'do.exclude.says', fill: { pattern, reason } }],
      run: () => operator.exclude(pattern, reason, actorOf(who.name)),
      after: (result) => result,
      shown: (result) => ({ key: 'do.exclude.shown', fill: { count: websitesOf(result) } }),
    }
  }
}

function restore({ operator }: Index): Plan {
  return async ({ text, who }) => {
    const pattern = text('pattern')
    if (!(await operator.exclusions()).some((exclusion) => exclusion.pattern === pattern))
      throw notThere('exclusion', pattern)
    return {
      ...about('restore', pattern!, { pattern: pattern! }),
      says: [{ key: 'do.restore.says', fill: { pattern: pattern! } }],
      run: () => operator.restore(pattern!, actorOf(who.name)),
      after: (result) => result,
      shown: (result) => ({ key: 'do.restore.shown', fill: { count: websitesOf(result) } }),
    }
  }
}

function undoRelink({ operator }: Index): Plan {
  return async ({ text, who }) => {
    const id = text('batch')
    const batch = (await operator.batches(lately)).find(
      (knownBatch) => knownBatch.id === id && knownBatch.undone_at === null,
    )
    if (batch === undefined) throw notThere('linked list', id)
    return {
      ...about('relink-undo', batch.id, { batch: batch.id }),
      says: [{ key: 'do.relink-undo.says', fill: { count: Number(batch.websites) } }],
      run: () => operator.undo(batch.id, actorOf(who.name)),
      after: (result) => result,
      shown: () => ({ key: 'do.index.shown' }),
    }
  }
}

/** The number of recent link lists that are shown and can be undone. */
export const lately = 20

function websitesOf(result: unknown): number {
  return (result as { websites: number }).websites
}

function needed(text: TextOf, name: string): string {
  const given = text(name)
  if (given !== null) return given
  throw new MembershipError('ERR_FORM', 'Say what is to be kept out, and why.')
}
