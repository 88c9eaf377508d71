import { defineMail } from '../define.ts'

/** A store that goes on charging for what was bought there. */
export interface StoreCharge {
  readonly store: string
  /** The store's page of subscriptions; null if it has none. */
  readonly url: string | null
}

export interface AccountDeletedData {
  readonly stores?: readonly StoreCharge[]
}

const texts = {
  subject: [],
  intro: [],
  cancelled: [],
  cancelled_here: [],
  goes_on: ['store'],
  goes_on_at: ['store', 'url'],
  records: [],
} as const

/** Sent when: a member deleted the account. */
export const accountDeleted = defineMail<AccountDeletedData>()('account-deleted', {
  texts,
  canBeTurnedOff: true,
  letter: ({ say }, { stores = [] }) => {
    const charging = [...new Map(stores.map((item) => [item.store, item])).values()]
    return {
      subject: say('subject', {}),
      paragraphs: [
        `${say('intro', {})} ${say(charging.length === 0 ? 'cancelled' : 'cancelled_here', {})}`,
        ...charging.map(({ store, url }) =>
          url === null ? say('goes_on', { store }) : say('goes_on_at', { store, url }),
        ),
        say('records', {}),
      ],
      link: null,
    }
  },
})
