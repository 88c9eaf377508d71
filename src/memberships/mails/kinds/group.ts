import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A seat that somebody is invited to. */
export interface GroupInvitationData {
  title: string
  from: string | null
  days: number
  url: string
}

/** Sent when: a member of a group, or its buyer, invites an address to a seat. */
export const groupInvitation = defineMail<GroupInvitationData>()('group-invitation', {
  texts: { subject: ['title'], intro: ['title'], from: ['from'], validity: ['duration'], button: [] },
  letter: ({ say, duration }, { title, from, days, url }) => ({
    subject: say('subject', { title }),
    paragraphs: [
      say('intro', { title }),
      from === null ? '' : say('from', { from }),
      say('validity', { duration: duration(days * 1440) }),
    ],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

/** A group with fewer seats than members, or whose buyer leaves; `date`: when seats end. */
export interface GroupManagersData {
  title: string
  date: string
  url: string
}

const managers = { subject: ['title'], intro: ['title', 'date'], how: [], button: [] } as const

/** Sent when: fewer seats are paid than are taken; to the buyer and the managers. */
export const groupFewer = defineMail<GroupManagersData>()('group-fewer', {
  texts: managers,
  letter: ({ say, day }, { title, date, url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title, date: day(date) }), say('how', {})],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

/** Sent when: the buyer of a group deletes the account; to its managers, else to all its members. */
export const groupTakeover = defineMail<GroupManagersData>()('group-takeover', {
  texts: managers,
  letter: ({ say, day }, { title, date, url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title, date: day(date) }), say('how', {})],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

/**
 * Sent when: three days are left of a group whose buyer left, or whose payment is disputed, and nobody has
 * taken over; to its managers, else to all its members.
 */
export const groupReminder = defineMail<GroupManagersData>()('group-reminder', {
  texts: managers,
  letter: ({ say, day }, { title, date, url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title, date: day(date) }), say('how', {})],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

/** A group whose payment is disputed. */
export interface GroupDisputedData {
  title: string
  url: string
}

/** Sent when: the payment for a group is disputed; to its managers, else to all its members. */
export const groupDisputed = defineMail<GroupDisputedData>()('group-disputed', {
  texts: { subject: ['title'], intro: ['title'], how: [], button: [] },
  letter: ({ say }, { title, url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('how', {})],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

/** A seat that ended. */
export interface GroupEndedData {
  title: string
  account_url: string
}

/** Sent when: a seat ends because fewer are paid; to whoever had it. */
export const groupEnded = defineMail<GroupEndedData>()('group-ended', {
  texts: { subject: ['title'], intro: ['title'], button: [] },
  linksToAccount: true,
  letter: ({ say }, { title, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title })],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})
