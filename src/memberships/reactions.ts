import type { Handlers, Message, Outbox } from '../core/jobs/outbox.ts'
import type { Step } from '../core/storage/index.ts'
import type { Customers, Newcomers } from './checkout/index.ts'
import type { EventList } from './domain-events.ts'
import type { GiftsService } from './gifts/index.ts'
import type { GroupsService } from './groups/index.ts'
import type { HooksService } from './hooks/index.ts'
import type { SettledIntent } from './ledger/index.ts'
import type { Alert } from './monitoring/index.ts'
import type { Declarations, UnusedMoney } from './shop/index.ts'
import type { SwitchNotice } from './switching/index.ts'
import type { Unassigned } from './sync/index.ts'
import type { EndedTrial, Trials } from './trials/index.ts'

/** The modules that react to facts. Each turns a fact into messages or steps, and writes nothing itself. */
export interface Reacting {
  readonly events: Pick<EventList, 'on'>
  readonly outbox: Pick<Outbox, 'steps'>
  readonly mailing: FactMails
  readonly trials: Pick<Trials, 'messagesOf' | 'messageOfCheckout' | 'messageOfMember'>
  readonly newcomers: Pick<Newcomers, 'yieldTo' | 'speakTo'>
  readonly groups: Pick<GroupsService, 'messagesOf' | 'disputeMessages'>
  readonly gifts: Pick<GiftsService, 'messagesOf'>
  readonly unusedMoney: Pick<UnusedMoney, 'messagesOf'>
  readonly monitoring: { tellOnce(alert: Alert): readonly Step[] }
  readonly now: () => Date
}

/** Mails about facts. There are none on a site that sends no mails, or none of this kind. */
export interface FactMails {
  ofCheckout(settled: SettledIntent): Message[]
  ofGrant(memberId: string, grantId: string): Message[]
  ofTrial(trial: EndedTrial): Message[]
  ofUnassigned(payment: Unassigned): Message[]
  ofSwitch(notice: SwitchNotice): Message[]
}

/** What follows each fact, in this order. All steps join the unit of the fact: both are stored, or neither. */
export function reactions(doors: Reacting): void {
  const { events, outbox, mailing, trials, newcomers, groups, gifts, unusedMoney, monitoring, now } = doors

  // A checkout's outcome is known. An import is quiet: it happened earlier and elsewhere, so nobody is mailed.
  events.on('checkout.settled', (settled, { isQuiet }) =>
    isQuiet ? [] : outbox.steps(mailing.ofCheckout(settled)),
  )
  // Only now is it known that this site's checkout began the subscription: is its trial the second of this person?
  events.on('checkout.settled', (settled, origin) =>
    origin.isQuiet ? [] : outbox.steps(trials.messageOfCheckout(settled, origin)),
  )
  // The address is not proved yet: the purchase is hidden from another browser that typed the same one.
  events.on('checkout.settled', newcomers.yieldTo)
  // Mails speak the language of the page where the member bought.
  events.on('checkout.settled', newcomers.speakTo)

  // A customer or subscription changed. Its payment method may show an earlier trial of the same person.
  events.on('payer.changed', (change, origin) =>
    origin.isQuiet ? [] : outbox.steps(trials.messagesOf(change, origin)),
  )
  // A group follows its subscription: its seats, and its end.
  events.on('payer.changed', (change) => outbox.steps(groups.messagesOf(change)))

  // A proved address may be that of an earlier trial.
  events.on('member.proved', (memberId) => outbox.steps([trials.messageOfMember(memberId)]))

  events.on('grant.given', (memberId, grantId) => outbox.steps(mailing.ofGrant(memberId, grantId)))

  // A payment without a subscription may have paid for a gift.
  events.on('payment.changed', (payment) => outbox.steps(gifts.messagesOf(payment)))

  // Its managers are asked to take over a group whose payment is disputed.
  events.on('payment.disputed', (dispute) => outbox.steps(groups.disputeMessages(dispute)))

  // Money that was paid for time after the end is listed for the operator.
  events.on('subscription.ended', (ended) => outbox.steps(unusedMoney.messagesOf(ended)))

  events.on('trial.ended', (trial) => outbox.steps(mailing.ofTrial(trial)))

  // Nobody knows what a payment is for: its buyer gets a mail, and the operator an alert.
  events.on('payment.unassigned', (payment) => outbox.steps(mailing.ofUnassigned(payment)))
  events.on('payment.unassigned', (payment) =>
    monitoring.tellOnce(alertOfUnassigned(payment, now().toISOString())),
  )

  events.on('switch.changed', (notice) => outbox.steps(mailing.ofSwitch(notice)))
}

function alertOfUnassigned({ payment: { provider, account, id } }: Unassigned, at: string): Alert {
  return {
    id: `payment_unassigned ${provider} ${account} ${id}`,
    kind: 'payment_unassigned',
    state: 'begun',
    provider,
    account,
    since: at,
    at,
    message: `${provider}: the payment ${id} does not say what it is for, and opens nothing.`,
    action: `Assign it: membership payments assign ${id}. Or refund it.`,
  }
}

interface Delivers {
  readonly handlers: Handlers
}

/** The modules that deliver messages. Null stands for what this process or this site does not have. */
export interface Delivering {
  readonly outbox: Pick<Outbox, 'handle'>
  readonly hooks: Pick<HooksService, 'tells' | 'handlers'>
  readonly receivers: Delivers
  /** The host's user store. */
  readonly store: Delivers | null
  /** The site's own login, which hears of deleted accounts. */
  readonly loginDeletions: Delivers | null
  /** Mails to members, and those with a link; none on a site that sends no mails. */
  readonly mails: readonly Handlers[]
  readonly customers: Pick<Customers, 'handlers'>
  readonly trials: Pick<Trials, 'handlers'>
  readonly groups: Pick<GroupsService, 'handlers'>
  readonly purchases: {
    readonly gifts: Pick<GiftsService, 'handlers'>
    readonly unusedMoney: Pick<UnusedMoney, 'handlers'>
    readonly declarations: Pick<Declarations, 'handlers'>
  }
  /** Mails about groups, gifts and price raises, whose links are made when they are sent. */
  readonly letters: readonly Handlers[]
  readonly monitoring: { readonly alertHandlers: Handlers }
}

/**
 * Who delivers the messages that the reactions queue. A kind without a handler waits for a process that has one: a
 * command without hooks and mails leaves theirs to the site.
 */
export function deliveries(doors: Delivering): void {
  const { outbox, hooks, receivers, mails, store, loginDeletions, customers, trials, purchases, groups } =
    doors
  const { declarations, gifts, unusedMoney } = purchases

  // Notices of what changed for a member: to the site's code, to other programs, by mail, to the host's user store.
  if (hooks.tells) outbox.handle(hooks.handlers)
  outbox.handle(receivers.handlers)
  for (const handlers of mails) outbox.handle(handlers)
  if (store) outbox.handle(store.handlers)
  if (loginDeletions) outbox.handle(loginDeletions.handlers)

  // Work that asks a provider, or reads more than the unit of the fact should.
  for (const { handlers } of [customers, trials, declarations, gifts, unusedMoney, groups])
    outbox.handle(handlers)

  for (const handlers of doors.letters) outbox.handle(handlers)
  outbox.handle(doors.monitoring.alertHandlers)
}
