import { discountOn } from '../../core/dto/index.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import { ofAddress, ofCustomer, ofMember, ofReduced, type Place } from './evidence.ts'
import { createMarks } from './trials.ts'

export interface DiscountsHad {
  /** True if the person took one before, on this subscription or another. */
  had(user: User, place: Place): Promise<boolean>
  /**
   * Reserves the person's only discount for this subscription. Returns false where another subscription has it already,
   * even if both were asked for at once.
   */
  reserve(user: User, place: Place): Promise<boolean>
  /** Steps that end a reservation, where the provider gave no discount. */
  release(user: User, place: Place): Step[]
  /** Steps that remember the person and the subscription, once it is reduced. */
  note(user: User, place: Place): Step[]
  /** Steps that remember a member whose account is deleted, also by an address that is newer than the discount. */
  remember(user: User): Step[]
}

/** Remembers who took the discount before a cancellation. Each person gets one for ever. */
export function createDiscountsHad(deps: {
  readonly storage: Storage
  readonly providers: ReadonlyMap<string, unknown>
  readonly secrets: () => readonly string[]
  readonly now: () => Date
}): DiscountsHad {
  const { storage, providers } = deps
  const marks = createMarks(deps)

  const had = async (user: User, place: Place): Promise<boolean> =>
    user.subscriptions().some((s) => discountOn(s) !== null) ||
    (await marks.isKnown(group, [ofReduced(place)])) ||
    (await marks.isKnown(group, ofMember(user, providers.keys()), place))

  const reserve = async (user: User, place: Place): Promise<boolean> => {
    await storage.commit(marks.note(group, ofMember(user, providers.keys()), place, { at: forEver }))
    return !(await had(user, place))
  }

  const release = (user: User, place: Place): Step[] =>
    marks.forget(group, ofMember(user, providers.keys()), place)

  const note = (user: User, place: Place): Step[] =>
    marks.note(group, [ofReduced(place), ...ofMember(user, providers.keys())], place, { at: forEver })

  const remember = (user: User): Step[] =>
    user
      .subscriptions()
      .filter((s) => discountOn(s) !== null)
      .flatMap((s) => {
        const customer = s.customer_id === null ? [] : [ofCustomer(s.provider, s.account, s.customer_id)]
        return marks.note(group, [...ofAddress(user), ...customer], s, { at: forEver })
      })

  return { had, reserve, release, note, remember }
}

// A plan group is named by the site, and none has a space in front.
const group = ' discount'

// Marks of trials leave after two years; these never do.
const forEver = '9999-12-31T23:59:59.999Z'
