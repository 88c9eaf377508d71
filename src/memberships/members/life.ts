import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, type Merging, nothing } from '../life.ts'
import type { Invalidation } from './invalidation.ts'
import { memberLifeStatements } from './life-statements.ts'
import { type MemberRow, memberStatements } from './statements.ts'
import { mergedWalls } from './walls.ts'

/** The account itself, its sessions, and access given by hand, in the life of a member. */
export function memberLife(storage: Storage, invalidation: Invalidation) {
  const statements = memberLifeStatements(storage)
  const members = memberStatements(storage)
  const lock = ({ id, at }: { id: string; at: string }) => [
    step(members.sessionsRevoke, { member_id: id, revoked_at: at }),
  ]
  const keep = ({ kept, next }: Merging) =>
    step(statements.keep, { ...next, id: kept.id, before: kept.updated_at }, 1)

  return {
    name: 'members',
    tables: ['members', 'sessions', 'identities', 'grants', 'wall_counts'],
    eraseRecords: nothing,
    lock,
    // Identities stay as hashes, so that the next page view does not create the account again.
    erase: ({ id, at }) => [
      step(statements.member, { id, updated_at: at }),
      step(statements.grants, { member_id: id, revoked_at: at }),
      step(statements.freePages, { owner: `member:${id}` }),
    ],
    export: async ({ id }) => {
      const key = { member_id: id }
      const [[row], grants, sessions, [choices], free_pages] = await Promise.all([
        storage.all(statements.profile, key),
        storage.all(statements.grantsOf, key),
        storage.all(statements.sessions, key),
        storage.all(statements.choices, key),
        storage.all(statements.freePagesOf, { owner: `member:${id}` }),
      ])
      return {
        ...(row === undefined
          ? {}
          : {
              profile: profileOf(row),
              fields: withoutSecrets(JSON.parse(row.content) as Record<string, unknown>),
            }),
        grants,
        free_pages,
        sessions: sessions.map((session) => ({ ...session, verified: session.verified === 1 })),
        mails_off_at: choices?.mails_off_at ?? null,
      }
    },
    merge: async (pair) => {
      const { kept, merged, email, at } = pair
      return [
        step(statements.leave, { id: merged.id, into: kept.id, email, before: merged.updated_at }, 1),
        keep(pair),
        step(statements.move, { kept: kept.id, merged: merged.id }),
        ...(await mergedWalls(storage, { kept: kept.id, merged: merged.id, at })),
        ...invalidation.all(merged, at),
        ...invalidation.changes(kept.id, at),
        ...lock({ id: merged.id, at }),
      ]
    },
    unmerge: (pair) => {
      const { kept, merged, email, at } = pair
      const ids = { kept: kept.id, merged: merged.id }
      return [
        step(statements.comeBack, { id: merged.id, from: kept.id, email }, 1),
        keep(pair),
        step(statements.moveBack, ids),
        step(statements.ownGrantsBack, ids),
        // After the merge, another person may have entered through the merged account's address.
        ...[kept, merged].flatMap((item) => [
          ...invalidation.all({ id: item.id, email: item.email }, at),
          ...lock({ id: item.id, at }),
        ]),
      ]
    },
    restore: async ({ at }) => {
      const [row] = await storage.all(statements.openSessions, {})
      return {
        ended: { sessions: Number(row?.n ?? 0) },
        steps: [step(statements.endSessions, { at })],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}

function profileOf({
  content: _,
  password_hash,
  ...row
}: MemberRow & { readonly password_hash: string | null }) {
  return {
    ...row,
    email_verified: row.email_verified === 1,
    roles: JSON.parse(row.roles) as string[],
    has_password: password_hash !== null,
    created_by: makerOf(row.created_by),
  }
}

function makerOf(mark: string | null): 'person' | 'purchase' | 'import' {
  return mark === null ? 'person' : mark.startsWith('v1:') ? 'import' : 'purchase'
}

function withoutSecrets(content: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(content).filter(([name]) => !/^(password|secret|token)/.test(name)),
  )
}
