/**
 * A feature that sites choose providers by: the title of a column, and the methods that show that a
 * configured provider has it.
 */
interface FeatureShape {
  readonly title: string
  readonly methods: readonly string[]
  /** Flag of `capabilities` that takes it away. */
  readonly flag?: Flag
  /** True if the provider lacks the feature unless the flag is set. */
  readonly isGiven?: true
}

type Flag = 'quantity' | 'one_time' | 'takes_back_end' | 'changes_now' | 'choose_amount'

/** In the order of the tables. */
export const features = {
  subscriptions: { title: 'sells subscriptions', methods: ['checkout'] },
  one_time: { title: 'sells once', methods: ['checkout'], flag: 'one_time' },
  quantity: { title: 'quantity', methods: ['checkout'], flag: 'quantity' },
  choose_amount: {
    title: 'amounts that people choose',
    methods: ['checkout'],
    flag: 'choose_amount',
    isGiven: true,
  },
  portal: { title: 'portal', methods: ['portal'] },
  cancel: { title: 'cancel', methods: ['cancel'] },
  resume: { title: 'resume', methods: ['resume'], flag: 'takes_back_end' },
  pause: { title: 'pause', methods: ['pause'] },
  discount: { title: 'discount on the next payment', methods: ['discount'] },
  change_now: { title: 'change now', methods: ['swap'], flag: 'changes_now' },
  preview: { title: 'preview of a change', methods: ['preview'] },
  change_later: { title: 'change later', methods: ['schedule', 'unschedule'] },
  open_invoice: { title: 'page of an open invoice', methods: ['payUrl'] },
  customer: { title: 'change of address', methods: ['updateCustomer'] },
  trial_once: { title: 'tells who pays a trial', methods: ['payerOf'] },
  refunds: { title: 'refunds', methods: ['refund'] },
  bills: { title: 'bills of a customer', methods: ['invoices'] },
  prices: { title: 'prices', methods: ['prices'] },
  ask: { title: 'asked for one object', methods: ['fetch'] },
  list: { title: 'list of everything', methods: ['list'] },
  past_events: { title: 'past events', methods: ['pull'] },
} as const satisfies Readonly<Record<string, FeatureShape>>

/** Name of a feature. */
export type Feature = keyof typeof features

/** Reasons why a provider lacks features, one sentence each, for people who choose a provider. */
export type Lacks = Partial<Readonly<Record<Feature, string>>>

/** The flags in `capabilities` cover features that no method expresses. */
interface Able {
  readonly capabilities?: Readonly<Partial<Record<Flag, boolean | string>>>
}

/** Returns true if the methods of a configured provider include the feature. */
export function canDo(provider: Able, feature: Feature): boolean {
  const { methods, flag, isGiven }: FeatureShape = features[feature]
  const has = methods.every((method) => method in provider && provider[method as keyof Able] !== undefined)
  const value = flag === undefined ? true : provider.capabilities?.[flag]
  return has && (isGiven === true ? Boolean(value) : value !== false)
}
