import type { History } from './steps.ts'

const [ann, ben] = ['ann', 'ben'] as const
const buysPro = { do: 'buy', who: ann, plan: 'pro' } as const
const inApple = { do: 'app buy', who: ann, plan: 'pro', store: 'apple' } as const
const inGoogle = { do: 'app buy', who: ann, plan: 'pro', store: 'google' } as const
const inRevenueCat = { do: 'app buy', who: ann, plan: 'pro', store: 'revenuecat' } as const
const month = { do: 'time', days: 32 } as const
const check = { do: 'settle' } as const

/** One plan on the web and in apps: an end in one place closes nothing that another paid. */
export const appHistories: Readonly<Record<string, History>> = {
  'an app’s purchase that expires closes nothing that the web pays': {
    from: 'stripe',
    steps: [buysPro, inApple, { do: 'app act', who: ann, act: 'turn off' }, month, check],
  },
  'a refund in one store closes nothing that the web and another store pay': {
    from: 'paddle',
    steps: [
      ...([buysPro, inGoogle, inApple, { do: 'app act', who: ann, act: 'refund', store: 'google' }] as const),
      ...([{ do: 'time', days: 1 }, check, { do: 'cancel', who: ann, when: 'now' }, check] as const),
      ...([{ do: 'app act', who: ann, act: 'refund' }, { do: 'time', days: 1 }, check] as const),
    ],
  },
  'an end on the web closes nothing that an app pays': {
    from: 'stripe',
    steps: [
      ...([buysPro, inRevenueCat, { do: 'refund', who: ann, by: 'dashboard' }] as const),
      ...([{ do: 'cancel', who: ann, when: 'now' }, { do: 'time', days: 1 }, check, month, check] as const),
    ],
  },
  'a transfer moves what one store sold, and leaves what another sold': {
    from: 'polar',
    steps: [
      ...([inRevenueCat, inApple, { do: 'time', days: 1 }] as const),
      ...([{ do: 'app act', who: ann, act: 'transfer', store: 'revenuecat', to: ben }, check] as const),
      ...([{ do: 'time', days: 1 }, check] as const),
    ],
  },
  'a merge and its return leave each app’s purchase with its buyer': {
    from: 'stripe',
    steps: [
      ...([inApple, { ...inGoogle, who: ben, plan: 'team' }, { do: 'merge', who: ann, into: ben }] as const),
      ...([
        { do: 'time', days: 1 },
        check,
        { do: 'app act', who: ben, act: 'refund', store: 'google' },
      ] as const),
      ...([{ do: 'time', days: 1 }, check, { do: 'merge back', who: ann }, month, check] as const),
    ],
  },
  'a deleted account is not opened again by the renewal of its app': {
    from: 'stripe',
    steps: [inGoogle, inApple, { do: 'delete', who: ann }, { ...inGoogle, who: ben }, month, check],
  },
  'a hold, a pause and a recovery whose messages are late end as the store says, and a login changes nothing':
    {
      from: 'lemonsqueezy',
      steps: [
        ...([
          inGoogle,
          { do: 'messages', are: 'lost' },
          { do: 'app act', who: ann, act: 'pause' },
          month,
        ] as const),
        ...([{ do: 'read', who: ann, page: 1, isIn: true }, check] as const),
        ...([{ do: 'app act', who: ann, act: 'recover' }, { do: 'time', days: 3 }, check] as const),
      ],
    },
  'a purchase of a tester opens nothing beside one that was paid': {
    from: 'stripe',
    steps: [
      ...([
        { ...inApple, plan: 'team', as: 'test' },
        { ...inGoogle, plan: 'team', as: 'test' },
      ] as const),
      ...([
        { ...inRevenueCat, plan: 'book', as: 'test' },
        inRevenueCat,
        { do: 'time', days: 1 },
        check,
      ] as const),
    ],
  },
  'the site sells no plan again that an app pays, and an upgrade in the app counts at once': {
    from: 'stripe',
    steps: [inGoogle, buysPro, { do: 'app act', who: ann, act: 'upgrade' }, { do: 'time', days: 1 }, check],
  },
  'a switch of the web’s provider closes nothing that an app pays, and an end in the app nothing of the switch':
    {
      from: 'stripe',
      to: 'paddle',
      steps: [
        ...([buysPro, inApple, { do: 'switch' }, { do: 'time', days: 3 }, check] as const),
        ...([{ do: 'app act', who: ann, act: 'turn off' }, month, check, month, check] as const),
      ],
    },
  'a switch that is taken back leaves an app’s purchase as it is': {
    from: 'paddle',
    to: 'stripe',
    steps: [
      ...([buysPro, inGoogle, { do: 'switch' }, { do: 'undo switch' }, check] as const),
      ...([
        { do: 'app act', who: ann, act: 'refund' },
        { do: 'time', days: 1 },
        check,
        month,
        check,
      ] as const),
    ],
  },
  'a pause on the web closes nothing that an app pays, and a pause in the app nothing that the web pays': {
    from: 'stripe',
    steps: [
      ...([buysPro, inGoogle, { do: 'pause', who: ann }, month, check] as const),
      ...([{ do: 'resume', who: ann }, { do: 'app act', who: ann, act: 'pause' }, month, check] as const),
      ...([{ do: 'app act', who: ann, act: 'recover' }, { do: 'time', days: 3 }, check] as const),
    ],
  },
  'a merge of a web buyer into an app buyer, a pause, a refund and the way back close nothing of the other': {
    from: 'stripe',
    steps: [
      ...([buysPro, { ...inRevenueCat, who: ben }, { do: 'merge', who: ann, into: ben }] as const),
      ...([{ do: 'pause', who: ben }, month, check, { do: 'resume', who: ben }] as const),
      ...([{ do: 'app act', who: ben, act: 'refund' }, { do: 'time', days: 1 }, check] as const),
      ...([{ do: 'merge back', who: ann }, month, check] as const),
    ],
  },
  'a refund on the web that is rejected, and the one after it, close nothing that an app pays': {
    from: 'paddle',
    steps: [
      ...([buysPro, inApple, { do: 'refund', who: ann, by: 'office', is: 'rejected' }] as const),
      ...([{ do: 'time', days: 1 }, check, { do: 'refund', who: ann, by: 'office' }] as const),
      ...([{ do: 'time', days: 1 }, check, month, check] as const),
    ],
  },
}
