import type { Shop } from '../../core/access/index.ts'
import { everything } from '../../core/access/index.ts'
import { taxOf } from '../../core/config/europe.ts'
import type { Config, PlanConfig } from '../../core/config/index.ts'
import type { Price, TitledPlan } from '../../core/dto/index.ts'
import { type SoldPrice, toSoldPrice } from '../../core/dto/sold.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { within } from '../../core/jobs/worker-pool.ts'
import type { Log } from '../../core/log.ts'
import { createDocuments, type Storage, step } from '../../core/storage/index.ts'
import type { CataloguePrice, ProviderReader } from '../../providers/contract.ts'
import { differenceBetween, missing, type PriceDifference, termsText } from './differences.ts'
import { createPriceNames } from './names.ts'
import { type KnownPrice, sellsAmount, toPlans, withReplacements } from './plans.ts'
import { createOfferHistory, withSales } from './sales.ts'
import { toShop } from './shop.ts'
import { type CatalogueRow, catalogueStatements, replacementsIn } from './statements.ts'

/** The plans on sale: those configured, completed with the prices of the providers' catalogues. */
export interface Catalogue {
  /** Returns a provider's plans from memory. */
  plans(provider: string): readonly PlanConfig[]
  /** Returns every provider's plans, in the order of the configuration. */
  all(): readonly PlanConfig[]
  /** The price's plan under the name that it had at that moment, else under its current name. */
  boughtAs(price: string | null, at: string): readonly TitledPlan[]
  /** True if the price is known to belong to another provider account than the one that sells. */
  isElsewhere(provider: string, price: string): boolean
  /** True if a provider's prices could not be read for a day, so that the shown ones may be old. */
  isStale(provider: string): boolean
  /** The terms under which a price is sold; those of the last day on which it was, if it left the configuration. */
  sold(provider: string, price: string): SoldPrice | undefined
  /** True if a plan has seats, or had some when it was sold. */
  soldSeats(): boolean
  /** The offer of the site at a provider, by its plans and the prices that were read. */
  shop(provider: string): Shop
  /** Reads the stored prices, without calling a provider. */
  load(): Promise<void>
  /** Reads the prices of providers whose last reading is older than ten minutes, and names those that were read. */
  refreshDue(): Promise<readonly string[]>
  /** Reads which prices the raises of every process replace. */
  loadReplacements(): Promise<void>
  /**
   * Reads one provider's prices now.
   * @throws ERR_PROVIDER_ANSWER
   */
  refresh(provider: string): Promise<void>
  /** True if the selling account's prices were read at least once, by any process, or cannot be read. */
  isRead(provider: string): boolean
  /**
   * Waits at most four seconds for the first reading of a provider's prices. The reading continues afterwards.
   * @throws ERR_BUSY where they are still being read by then; ERR_PROVIDER_ANSWER where the provider failed, unless it
   *   refuses to list them; ERR_CONFIG where its package or its key is missing
   */
  waitForPrices(provider: string): Promise<void>
  /**
   * The first reading of the prices that pages would show without an amount, four seconds at most; null where
   * nothing is waited for, as with every process but a fresh site's first.
   */
  firstReading(provider: string): Promise<void> | null
  /**
   * The configured prices whose terms differ from those that the provider charges, as its prices were last
   * read. They are not sold until both agree.
   */
  differences(provider: string): readonly PriceDifference[]
  /** False for a price that nobody can name the amount of: the provider does not have it, or was not asked yet. */
  isOffered(provider: string, price: Price): boolean
}

/**
 * Creates the catalogue. It knows the configured plans at once; the providers' prices join with `load` and `refresh`.
 */
export function createCatalogue(deps: {
  storage: Storage
  config: Config
  providers: ReadonlyMap<string, ProviderReader>
  /** The ids of this site; absent where they do not count. */
  sites?: readonly string[] | undefined
  now: () => Date
  log: Log
}): Catalogue {
  const { storage, config, providers, sites, now, log } = deps
  const statements = catalogueStatements(storage)
  const known = new Map<string, ReadonlyMap<string, KnownPrice>>()
  const refreshedAt = new Map<string, number>()
  const triedAt = new Map<string, number>()
  const plans = new Map<string, readonly PlanConfig[]>()
  const shops = new Map<string, Shop>()
  const sold = new Map<string, ReadonlyMap<string, SoldPrice>>()
  const readOnce = new Set<string>()
  const refused = new Set<string>()
  const differing = new Map<string, readonly PriceDifference[]>()
  const tax = taxOf(config.shop)
  const warned = new Set<string>()
  let replacements: Awaited<ReturnType<typeof replacementsIn>> = []
  const names = createPriceNames({ documents: createDocuments(storage, 'names'), now })
  const amounts = createOfferHistory({ documents: createDocuments(storage, 'names'), now })
  // Each answer asks the clock, so that a sale ends in every process at the same moment.
  const plansOf = (key: string): readonly PlanConfig[] =>
    withSales(plans.get(key) ?? [], amounts.kept(), now())
  let joined: readonly PlanConfig[] = []
  let parts: readonly (readonly PlanConfig[])[] = []
  // The same list until a plan changes, so that callers can keep what they derive from it.
  const all = (): readonly PlanConfig[] => {
    const lists = [...providers.keys()].map(plansOf)
    if (lists.length !== parts.length || lists.some((list, n) => list !== parts[n]))
      [parts, joined] = [lists, lists.flat()]
    return joined
  }
  const note = async (): Promise<void> => {
    await names.note(all())
    await amounts.note(all())
  }

  const configured = (provider: string): PlanConfig[] =>
    Object.values(config.providers[provider]?.plans ?? {})
  const rebuild = (provider: string): void => {
    const { trialAmount } = providers.get(provider) ?? {}
    const wrong = new Map(
      (differing.get(provider) ?? []).flatMap(({ price, there }) => (there ? [[price, there] as const] : [])),
    )
    const agreed = configured(provider).map((plan) => withoutWrong(plan, wrong))
    const own = toPlans(provider, agreed, known.get(provider) ?? new Map(), trialAmount)
    const completed = withReplacements(
      own,
      replacements.filter((item) => item.provider === provider),
    )
    plans.set(provider, completed)
    sold.set(
      provider,
      new Map(
        completed.flatMap((plan) =>
          plan.prices.map((price) => [price.id, toSoldPrice(plan, price)] as const),
        ),
      ),
    )
    shops.set(
      provider,
      toShop({
        config: config.providers[provider],
        plans: completed,
        known: known.get(provider) ?? new Map(),
        canList: providers.get(provider)?.prices !== undefined,
        sites,
      }),
    )
  }
  for (const key of providers.keys()) rebuild(key)

  /** Compares the configured prices with the catalogue that was just read, by this process or another. */
  const compare = (key: string): void => {
    const read = [...(known.get(key)?.values() ?? [])]
    differing.set(
      key,
      configured(key).flatMap(({ prices }) =>
        prices.flatMap((price) => {
          const there = read.find(({ id, lookup_key }) => id === price.id || lookup_key === price.id)
          const isMissing = there === undefined && read.length > 0
          return (isMissing ? missing(price) : there && differenceBetween(price, there, tax)) ?? []
        }),
      ),
    )
    rebuild(key)
    for (const { price, plan, here, there } of differing.get(key) ?? [])
      if (there !== null)
        warnOnce(
          `${key} ${price} ${JSON.stringify([here, there])}`,
          `membership.plans.${plan} says ${termsText(here)} for "${price}", and ${key} charges ${termsText(there)}: it is not sold until both agree`,
        )
  }

  /**
   * Marks prices of accounts other than the selling one. Stored prices contain only their account. Until the selling
   * account's prices are read, its missing prices are unknown, so none is marked.
   */
  const soldBy = (key: string, prices: ReadonlyMap<string, KnownPrice>): ReadonlyMap<string, KnownPrice> => {
    const seller = providers.get(key)?.account ?? ''
    const isRead = [...prices.values()].some(({ account }) => account === seller)
    return new Map(
      [...prices].map(([id, { elsewhere: _, ...price }]) => {
        const isElsewhere = isRead && price.account !== undefined && price.account !== seller
        return [id, isElsewhere ? { ...price, lookup_key: null, elsewhere: true } : price]
      }),
    )
  }

  const loadReplacements = async (): Promise<void> => {
    const found = await replacementsIn(storage)
    if (found.length === replacements.length) return
    replacements = found
    for (const key of providers.keys()) rebuild(key)
  }

  const load = async (): Promise<void> => {
    await loadReplacements()
    const rows = await storage.read((db) => db.selectFrom('catalogue').selectAll().orderBy('price_id'))
    for (const key of providers.keys()) {
      const own = rows.filter((row) => row.provider === key)
      const stored = own.map((row) => [row.price_id, JSON.parse(row.data) as KnownPrice] as const)
      known.set(key, soldBy(key, new Map(stored)))
      const newest = own.map((row) => Date.parse(row.refreshed_at)).sort((a, b) => b - a)[0]
      if (newest !== undefined) refreshedAt.set(key, newest)
      rebuild(key)
      // Old prices say nothing about today's.
      if (!isStale(key)) compare(key)
    }
    await note()
  }

  const reading = new Map<string, Promise<void>>()
  /** A second call joins the running reading. */
  const refresh = (key: string): Promise<void> => {
    const begin = () =>
      read(key)
        .catch((error: unknown) => {
          if (statusOf(error) === 403) refused.add(key)
          throw error
        })
        .finally(() => reading.delete(key))
    const under = reading.get(key) ?? begin()
    reading.set(key, under)
    return under
  }

  const first = new Map<string, Promise<void>>()
  const firstReading = (key: string): Promise<void> | null => {
    const wanted = configured(key)
    const isSaid = wanted.length > 0 && wanted.every(({ prices }) => prices.every(saysAmount))
    if (isSaid || first.get(key) === done || isRead(key)) return null
    const begun =
      first.get(key) ??
      within(waitMs, new AbortController().signal, () => refresh(key))
        .catch(() => undefined)
        .finally(() => first.set(key, done))
    if (!first.has(key)) first.set(key, begun)
    return begun
  }

  const isStale = (provider: string): boolean =>
    providers.get(provider)?.prices !== undefined &&
    now().getTime() - (refreshedAt.get(provider) ?? 0) > staleMs

  const isOffered = (key: string, price: Price): boolean =>
    price.choose !== undefined ? sellsAmount(providers.get(key), price) : hasAmount(key, price)

  const hasAmount = (key: string, price: Price): boolean =>
    price.amount !== null ||
    known.get(key)?.has(price.id) === true ||
    providers.get(key)?.prices === undefined ||
    // A key that may not read prices sells what is configured.
    refused.has(key)

  const warnOnce = (about: string, text: string): void => {
    if (warned.has(about)) return
    warned.add(about)
    log(text)
  }

  /** Names configured prices that the provider does not have, once each. */
  const warnOfUnknown = (key: string): void => {
    for (const { id: plan, prices } of plans.get(key) ?? [])
      for (const price of prices) {
        if (price.retired || isOffered(key, price)) continue
        warnOnce(
          `${key} ${price.id}`,
          price.choose === undefined
            ? `membership.providers.${key}.plans.${plan}.prices names "${price.id}", and ${key} has no price of that id: it is not sold. Its id may be of the other mode, or of another account`
            : `membership.providers.${key}.plans.${plan}.prices lets people choose the amount of "${price.id}", and ${key} cannot do that${price.interval === null ? '' : ' for what is paid regularly'} here: it is not sold`,
        )
      }
  }

  const isRead = (key: string): boolean => {
    const provider = providers.get(key)
    if (!provider?.prices || readOnce.has(key)) return true
    return [...(known.get(key)?.values() ?? [])].some(({ account }) => account === (provider.account ?? ''))
  }

  const waitForPrices = async (key: string): Promise<void> => {
    if (isRead(key)) return
    try {
      await within(waitMs, new AbortController().signal, () => refresh(key))
    } catch (error) {
      // A key without permission to read prices sells the configured ones.
      if (isRefused(error)) return
      // A missing package or key does not pass by itself.
      if (isMembershipError(error, 'ERR_CONFIG')) throw error
      log('somebody was asked to try again, because prices could not be read', {
        provider: key,
        reason: String(error),
      })
      throw isMembershipError(error, 'ERR_PROVIDER_ANSWER')
        ? pricesUnavailable(key, error)
        : pricesUnread(key)
    }
  }

  const read = async (key: string): Promise<void> => {
    const provider = providers.get(key)
    const prices = await provider?.prices?.()
    if (!provider || !prices) return
    const before = known.get(key) ?? new Map<string, KnownPrice>()
    const next = new Map(before)
    for (const { account, ...price } of await pricesElsewhere(provider))
      next.set(price.id, { ...remember(price, before.get(price.id)), account })
    for (const price of prices)
      next.set(price.id, { ...remember(price, before.get(price.id)), account: provider.account ?? '' })
    const at = now()
    const rows = [...next].map(([price_id, price]) =>
      toRow({ provider: key, price_id, price, at: at.toISOString() }),
    )
    await storage.commit(rows.map((row) => step(statements.put, row)))
    known.set(key, soldBy(key, next))
    refreshedAt.set(key, at.getTime())
    readOnce.add(key)
    compare(key)
    warnOfUnknown(key)
    await note()
  }

  /** Reads the prices of the other accounts. A failure of one of them delays the shop as little as possible. */
  const pricesElsewhere = async ({ key, account, accounts }: ProviderReader): Promise<OfAccount[]> => {
    const all: OfAccount[] = []
    for (const [label, item] of accounts ?? [])
      try {
        if (label !== account)
          all.push(...((await item.prices?.()) ?? []).map((price) => ({ ...price, account: label })))
      } catch (error) {
        log('the prices of a provider could not be read', {
          provider: key,
          account: label,
          reason: String(error),
        })
      }
    return all
  }

  const refreshDue = async (): Promise<readonly string[]> => {
    const keys: string[] = []
    const moment = now().getTime()
    for (const [key, provider] of providers) {
      const last = Math.max(triedAt.get(key) ?? 0, refreshedAt.get(key) ?? 0)
      // A price that was stopped by what another process read may have been mended meanwhile.
      const isDoubted = !readOnce.has(key) && (differing.get(key)?.length ?? 0) > 0
      if (!provider.prices || (moment - last < everyMs && !isDoubted)) continue
      triedAt.set(key, moment)
      try {
        await refresh(key)
        keys.push(key)
      } catch (error) {
        log('the prices of a provider could not be read', { provider: key, reason: String(error) })
      }
    }
    await amounts.note(all())
    return keys
  }

  return {
    plans: plansOf,
    all,
    boughtAs: (price, at) => {
      const called = price === null ? undefined : names.findCalled(price, at)
      if (called === undefined) return all()
      // The amount of a gift or a top-up belongs to its price: another amount is another price.
      const { gives, adds } =
        all()
          .flatMap(({ prices }) => prices)
          .find(({ id }) => id === price) ?? {}
      const more = { ...(gives === undefined ? {} : { gives }), ...(adds === undefined ? {} : { adds }) }
      return [{ ...called, prices: called.prices.map((item) => ({ ...item, ...more })) }]
    },
    isElsewhere: (provider, price) => known.get(provider)?.get(price)?.elsewhere === true,
    sold: (provider, price) => sold.get(provider)?.get(price) ?? names.findSold(price),
    soldSeats: () => all().some(({ seats }) => seats !== undefined) || names.soldSeats(),
    shop: (provider) => shops.get(provider) ?? everything,
    isStale,
    differences: (provider) => differing.get(provider) ?? [],
    load,
    refreshDue,
    loadReplacements,
    refresh,
    isRead,
    waitForPrices,
    firstReading,
    isOffered,
  }
}

/** A price that the provider charges otherwise is not sold, and shows the provider's terms. It still opens its plan. */
function withoutWrong(
  plan: PlanConfig,
  wrong: ReadonlyMap<string, NonNullable<PriceDifference['there']>>,
): PlanConfig {
  return {
    ...plan,
    prices: plan.prices.map((price) => {
      const there = wrong.get(price.id)
      return there === undefined ? price : { ...price, ...there, retired: true }
    }),
  }
}

const done = Promise.resolve()
function saysAmount({ amount, choose, retired }: Price): boolean {
  return retired || amount !== null || choose !== undefined
}

/** A price with its provider account. */
type OfAccount = CataloguePrice & { readonly account: string }

const everyMs = 600_000
const staleMs = 86_400_000

/** A look-up key that moved to another price still belongs to earlier purchases, so the old price keeps its names. */
function remember(price: CataloguePrice, before: KnownPrice | undefined): KnownPrice {
  return {
    ...price,
    names: [...new Set([...(before?.names ?? []), ...(price.lookup_key === null ? [] : [price.lookup_key])])],
  }
}

function toRow(given: { provider: string; price_id: string; price: KnownPrice; at: string }): CatalogueRow {
  return {
    provider: given.provider,
    price_id: given.price_id,
    data: JSON.stringify(given.price),
    refreshed_at: given.at,
  }
}

/** How long a form waits for prices. */
const waitMs = 4000

/** The error while a provider's prices are not read yet. */
export function pricesUnread(provider: string): MembershipError {
  return new MembershipError('ERR_BUSY', `The prices of ${provider} are being read.`, {
    retryAfterSeconds: 5,
    action: 'Try again in a moment.',
  })
}

/** The error where a provider did not list its prices: nothing is busy here. */
function pricesUnavailable(provider: string, cause: MembershipError): MembershipError {
  return new MembershipError('ERR_PROVIDER_ANSWER', `The prices of ${provider} could not be read.`, {
    retryAfterSeconds: 5,
    action: 'Try again in a moment.',
    cause,
  })
}

function isRefused(error: unknown): boolean {
  return [401, 403].includes(statusOf(error))
}

function statusOf(error: unknown): number {
  return error instanceof MembershipError ? Number((error.cause as { statusCode?: unknown })?.statusCode) : 0
}
