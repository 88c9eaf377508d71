import { appHistories } from './app-histories.ts'
import type { History } from './steps.ts'

/** Faults that were found once, each as the few lines that show it. */
export const histories: Readonly<Record<string, History>> = {
  ...appHistories,
  'other plans take nothing from what was bought by the plans of before': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'buy', who: 'ann', plan: 'book' },
      { do: 'buy', who: 'ann', plan: 'pack' },
      { do: 'plans', are: 'without' },
      { do: 'plans', are: 'moved' },
      { do: 'time', days: 32 },
      { do: 'plans', are: 'usual' },
    ],
  },
  'a top-up adds what it added when it was bought': {
    from: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pack' },
      { do: 'plans', are: 'fewer' },
      { do: 'use', who: 'ann', amount: 2, key: 'a' },
      { do: 'plans', are: 'usual' },
    ],
  },
  'a paid membership that is paused is no second trial, whoever else pays with that card': {
    from: 'stripe',
    trial: 14,
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro', card: 'shared' },
      { do: 'messages', are: 'held' },
      { do: 'buy', who: 'ben', plan: 'team', card: 'shared' },
      { do: 'pause', who: 'ben' },
    ],
  },
  'free days of the dashboard are no second trial': {
    from: 'stripe',
    trial: 14,
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro', card: 'shared' },
      { do: 'buy', who: 'ben', plan: 'team', card: 'shared' },
      { do: 'free days', who: 'ben', days: 10 },
    ],
  },
  'a refund that the provider rejected is asked for again': {
    from: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'book' },
      { do: 'refund', who: 'ann', by: 'office', is: 'rejected' },
      { do: 'refund', who: 'ann', by: 'office' },
    ],
  },
  'a purchase of which only the page is known keeps the same person from the next one': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro', pays: 'later' },
      { do: 'messages', are: 'held' },
      { do: 'die', after: 1 },
      { do: 'pay', who: 'ann' },
      { do: 'buy', who: 'ann', plan: 'pro' },
    ],
  },
  'a switch that is taken back leaves nothing ended that it ended, also where the process died': {
    from: 'stripe',
    to: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'die', after: 3 },
      { do: 'switch' },
      { do: 'undo switch' },
    ],
  },
  'free days of a switch are for what was paid: no dearer plan': {
    from: 'paddle',
    to: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'switch' },
      { do: 'buy', who: 'ann', plan: 'team', at: 'to' },
    ],
  },
  'free days of a switch are for what was paid: no more seats': {
    from: 'paddle',
    to: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'switch' },
      { do: 'buy', who: 'ann', plan: 'pro', at: 'to', seats: 4 },
    ],
  },
  'what was paid once opens one account after a switch, a merge and a merge-back': {
    from: 'paddle',
    to: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'switch' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'buy', who: 'ben', plan: 'pro', at: 'to' },
      { do: 'merge back', who: 'ann' },
    ],
  },
  'what is paid until a day belongs to its subscription: a merge-back splits nothing': {
    from: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'team' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'change', who: 'ben', plan: 'pro' },
      { do: 'merge back', who: 'ann' },
    ],
  },
  'a refund takes away what was paid until a day, also after a merge and a merge-back': {
    from: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'team' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'change', who: 'ben', plan: 'pro' },
      { do: 'merge back', who: 'ann' },
      { do: 'refund', who: 'ann', by: 'dashboard' },
    ],
  },
  'what was bought while merged stays with whoever bought it': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'cancel', who: 'ann', when: 'now' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'buy', who: 'ben', plan: 'team' },
      { do: 'merge back', who: 'ann' },
    ],
  },
  'what was begun while merged and paid afterwards stays with whoever began it': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'cancel', who: 'ann', when: 'now' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'buy', who: 'ben', plan: 'team', pays: 'later' },
      { do: 'merge back', who: 'ann' },
      { do: 'pay', who: 'ben' },
    ],
  },
  'pages that two accounts left open are not both paid once they are one': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro', pays: 'later' },
      { do: 'buy', who: 'ben', plan: 'pro', pays: 'later' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'pay', who: 'ann' },
      { do: 'pay', who: 'ben' },
    ],
  },
  'access that is given to a merged account reaches the kept one': {
    from: 'stripe',
    steps: [
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'grant', who: 'ann', plan: 'pro' },
    ],
  },
  'access that is imported for a merged account reaches the kept one': {
    from: 'stripe',
    steps: [
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'import', who: 'ann', plan: 'book' },
    ],
  },
  'another selling account stops no sale': {
    from: 'paddle',
    steps: [
      { do: 'buy', who: 'ben', plan: 'pro', pays: 'later' },
      { do: 'change account' },
      { do: 'buy', who: 'ben', plan: 'team' },
      { do: 'buy', who: 'cleo', plan: 'pro' },
    ],
  },
  'a refunded renewal pays for nothing after a change to a cheaper plan': {
    from: 'lemonsqueezy',
    steps: [
      { do: 'buy', who: 'ann', plan: 'team' },
      { do: 'time', days: 32 },
      { do: 'refund', who: 'ann', by: 'office' },
      { do: 'change', who: 'ann', plan: 'pro' },
    ],
  },
  'seats that change more than once are known as they are': {
    from: 'lemonsqueezy',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro', seats: 6 },
      { do: 'seats', who: 'ann', seats: 9 },
      { do: 'messages', are: 'held' },
      { do: 'seats', who: 'ann', seats: 4 },
    ],
  },
  'a raise follows its membership through a merge and back, and charges once': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'raise', needsConsent: false },
      { do: 'time', days: 10 },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'time', days: 20 },
      { do: 'merge back', who: 'ann' },
      { do: 'time', days: 32 },
      { do: 'time', days: 10 },
    ],
  },
  'a raise tells nobody who leaves, and waits for its notice anew once the membership goes on': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'buy', who: 'ben', plan: 'pro' },
      { do: 'cancel', who: 'ann', when: 'period_end' },
      { do: 'cancel', who: 'ben', when: 'period_end' },
      { do: 'time', days: 4 },
      { do: 'raise', needsConsent: false },
      { do: 'time', days: 8 },
      { do: 'settle' },
      { do: 'resume', who: 'ann' },
      { do: 'time', days: 14 },
      { do: 'settle' },
      { do: 'time', days: 32 },
      { do: 'time', days: 32 },
    ],
  },
  'silence keeps the old price where consent is needed': {
    from: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'buy', who: 'ben', plan: 'pro' },
      { do: 'raise', needsConsent: true },
      { do: 'agree', who: 'ben' },
      { do: 'time', days: 32 },
      { do: 'time', days: 32 },
    ],
  },
  'pages that were read before a login count for the account, and a merge gives none anew': {
    from: 'stripe',
    steps: [
      { do: 'read', who: 'ann', page: 1, isIn: false },
      { do: 'read', who: 'ann', page: 2, isIn: false },
      { do: 'read', who: 'ann', page: 3, isIn: false },
      { do: 'read', who: 'ann', page: 3, isIn: true },
      { do: 'read', who: 'ann', page: 4, isIn: true },
      { do: 'read', who: 'ben', page: 5, isIn: true },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'read', who: 'ben', page: 1, isIn: true },
      { do: 'read', who: 'ben', page: 6, isIn: true },
      { do: 'merge back', who: 'ann' },
      { do: 'read', who: 'ann', page: 4, isIn: true },
    ],
  },
  'a page that was left open in a sale is not paid after its end': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'sale', pays: 'later' },
      { do: 'buy', who: 'ben', plan: 'sale' },
      { do: 'time', days: 3 },
      { do: 'pay', who: 'ann' },
      { do: 'buy', who: 'cleo', plan: 'sale' },
    ],
  },
  'a refund that the bank sends back leaves open what its payment covers': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ben', plan: 'pro' },
      { do: 'refund', who: 'ben', by: 'office', is: 'rejected' },
    ],
  },
  'a refunded renewal adds no paid time': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'time', days: 32 },
      { do: 'refund', who: 'ann', by: 'dashboard' },
      { do: 'time', days: 20 },
    ],
  },
  'support at one provider stands beside a membership at another': {
    from: 'polar',
    to: 'stripe',
    steps: [
      { do: 'support', who: 'ann', amount: 301 },
      { do: 'buy', who: 'ann', plan: 'pro', card: 'shared' },
    ],
  },
  'a refund in Lemon Squeezy’s dashboard leaves no paid time': {
    from: 'lemonsqueezy',
    steps: [
      { do: 'buy', who: 'cleo', plan: 'pro' },
      { do: 'time', days: 20 },
      { do: 'refund', who: 'cleo', by: 'dashboard' },
    ],
  },
  'each month charges the amount that was chosen last, through a merge': {
    from: 'stripe',
    steps: [
      { do: 'support', who: 'ann', amount: 1003 },
      { do: 'choose', who: 'ann', amount: 503 },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'time', days: 32 },
      { do: 'choose', who: 'ben', amount: 300 },
    ],
  },
  'a switch that is taken back lets a planned raise go on': {
    from: 'stripe',
    to: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'raise', needsConsent: false },
      { do: 'time', days: 30 },
      { do: 'switch' },
      { do: 'undo switch' },
      { do: 'time', days: 32 },
      { do: 'time', days: 32 },
    ],
  },
  'an unpaid extra charge closes nothing of a period that is paid': {
    from: 'stripe',
    patient: true,
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'card', who: 'ann', is: 'declined' },
      { do: 'seats', who: 'ann', seats: 3 },
      { do: 'settle' },
      { do: 'time', days: 25 },
      { do: 'settle' },
    ],
  },
  'a debit that runs after an unpaid period opens nothing before it arrives': {
    from: 'stripe',
    patient: true,
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'card', who: 'ann', is: 'declined' },
      { do: 'time', days: 32 },
      { do: 'time', days: 25 },
      { do: 'card', who: 'ann', is: 'debit' },
      { do: 'time', days: 3 },
      { do: 'settle' },
      { do: 'time', days: 10 },
      { do: 'settle' },
    ],
  },
  'a book that is alone on the last invoice of a membership opens like any other': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'cancel', who: 'ann', when: 'period_end' },
      { do: 'free days', who: 'ann', days: 10 },
      { do: 'add book', who: 'ann' },
      { do: 'time', days: 32 },
    ],
  },
  'a book on the invoice of a membership opens like any other, and closes with its refund': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'add book', who: 'ann' },
      { do: 'time', days: 32 },
      { do: 'settle' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'settle' },
      { do: 'merge back', who: 'ann' },
      { do: 'refund', who: 'ann', by: 'dashboard' },
    ],
  },
  'money that comes when its period is over is noted once, also through a merge and its undo': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'card', who: 'ann', is: 'declined' },
      { do: 'time', days: 32 },
      { do: 'time', days: 32 },
      { do: 'settle' },
      { do: 'pay late', who: 'ann' },
      { do: 'settle' },
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'settle' },
      { do: 'merge back', who: 'ann' },
      { do: 'refund', who: 'ann', by: 'dashboard' },
      { do: 'settle' },
    ],
  },
  'money that comes after the end opens its period, and needs no note': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'card', who: 'ann', is: 'declined' },
      { do: 'time', days: 32 },
      { do: 'time', days: 10 },
      { do: 'pay late', who: 'ann' },
      { do: 'settle' },
      { do: 'time', days: 20 },
    ],
  },
  'a price that the provider charges otherwise is not sold': {
    from: 'stripe',
    to: 'paddle',
    steps: [
      { do: 'buy', who: 'ann', plan: 'differing' },
      { do: 'buy', who: 'ann', plan: 'differing', at: 'to' },
    ],
  },
  'the last messages of an account that goes open nothing and leave no note': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'messages', are: 'held' },
      { do: 'delete', who: 'ann' },
      { do: 'settle' },
      { do: 'time', days: 32 },
    ],
  },
  'a membership whose only payment went back has no days of grace': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro' },
      { do: 'refund', who: 'ann', by: 'office' },
      { do: 'card', who: 'ann', is: 'declined' },
      { do: 'time', days: 32 },
    ],
  },
  'a first debit opens nothing before it arrives': {
    from: 'stripe',
    steps: [
      { do: 'buy', who: 'ann', plan: 'pro', card: 'debit' },
      { do: 'settle' },
      { do: 'time', days: 10 },
      { do: 'settle' },
    ],
  },
}
