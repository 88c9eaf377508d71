import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** The bank did not pay, so nothing was bought. */
export interface PurchaseFailedData {
  title: string
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], again: [], button: [] } as const

/** Sent when: the bank did not pay, so nothing was bought. */
export const purchaseFailed = defineMail<PurchaseFailedData>()('purchase-failed', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  letter: ({ say }, { title, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('again', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})
