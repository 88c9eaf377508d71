import type { AccessRules } from '../../core/access/index.ts'
import type { PlanConfig } from '../../core/config/index.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import type { Log } from '../../core/log.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { AuditLog } from '../audit-log/index.ts'
import type { SingleAction } from '../checkout/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { createCurrent, createGrantDoor, type Users, unchecked } from '../members/index.ts'
import type { Codes } from './codes.ts'
import { type GiftRow, giftStatements } from './statements.ts'

export interface GiftsDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly users: Pick<Users, 'findById' | 'findExisting'>
  readonly rules: AccessRules
  readonly plans: () => readonly PlanConfig[]
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly singleAction: Pick<SingleAction, 'perform'>
  readonly codes: Codes
  readonly auditLog: Pick<AuditLog, 'during'>
  readonly noteChange: (memberId: string) => readonly Step[]
  /** True for a moment that a restored copy of the database does not know. */
  readonly isLost: (moment: string | null) => Promise<boolean>
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/** A mail about a gift, written at delivery so that no code is in the queue. */
export type GiftMail = 'gift' | 'gift-bought' | 'gift-redeemed' | 'gift-begun' | 'gift-closed'

/** The parts shared by ordering, paying, redeeming and the schedule. */
export function createParts(deps: GiftsDeps) {
  const { storage, outbox, noteChange, now, randomId } = deps
  const statements = giftStatements(storage)
  const current = createCurrent(storage)
  const grants = createGrantDoor(storage)
  const at = () => now().toISOString()

  const mail = (gift: Pick<GiftRow, 'id' | 'sendings'>, kind: GiftMail): Step[] =>
    outbox.steps([
      {
        id: `mail:${kind}:${gift.id}:${kind === 'gift' ? gift.sendings : ''}`,
        lane: `mail:gift:${gift.id}`,
        kind: 'gift-mail',
        payload: { gift: gift.id, kind },
      },
    ])

  /** An id that sorts by time. */
  const newId = (): string =>
    `${now().getTime().toString(36).padStart(9, '0')}${randomId().replace(/[-_]/g, '')}`

  /** Writes a gift with its buyer. An account that was merged or left meanwhile is a conflict. */
  const giveTo = (buyerId: string | null, gift: GiftRow): readonly Step[] =>
    buyerId === null
      ? [unchecked(statements.give, gift, 'nobody is known to have bought it', 1)]
      : current.steps(buyerId, (write) => [write(statements.give, gift, 1)])

  /** Stores a gift that nobody has yet. */
  const insert = (gift: GiftRow, expectRows?: number): Step =>
    unchecked(statements.insert, gift, 'nobody has it yet', expectRows)

  /** Gives a gift to a member. Its time begins with the next run. */
  const open = async (gift: GiftRow, memberId: string): Promise<void> => {
    const grant_id = `gift:${gift.id}`
    const row = {
      ...gift,
      status: 'redeemed',
      redeemed_at: at(),
      member_id: memberId,
      grant_id,
      look_at: at(),
      held_at: null,
    }
    await storage.commit([
      ...current.steps(memberId, (write) => [
        write(statements.give, row, 1),
        grants.addOfGift(write, { id: grant_id, member_id: memberId, gate: gift.plan, created_at: at() }),
      ]),
      ...noteChange(memberId),
      ...(gift.code_hash === null ? [] : mail(gift, 'gift-redeemed')),
    ])
  }

  return {
    statements,
    grants,
    current,
    giveTo,
    insert,
    at,
    mail,
    newId,
    open,
    later: (ms: number) => new Date(now().getTime() + ms).toISOString(),
    scheduleNext: (gift: GiftRow, look_at: string | null): Promise<void> =>
      storage.commit([step(statements.update, { ...gift, look_at }, 1)]),
  }
}
export type Parts = ReturnType<typeof createParts>

/** A gift without an owner. */
export function blank(id: string, { plan, months }: { plan: string; months: number }, at: string): GiftRow {
  return {
    id,
    plan,
    months,
    status: 'ready',
    created_at: at,
    sendings: 0,
    revision: 0,
    code_hash: null,
    intent_id: null,
    provider: null,
    account: null,
    payment_id: null,
    price_id: null,
    buyer_id: null,
    to_email: null,
    message: null,
    language: null,
    batch: null,
    label: null,
    expires_at: null,
    send_at: null,
    sent_at: null,
    redeemed_at: null,
    member_id: null,
    grant_id: null,
    left_seconds: null,
    put_off: null,
    look_at: null,
    closed_at: null,
    closed_for: null,
    held_at: null,
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export const minuteMs = 60_000
