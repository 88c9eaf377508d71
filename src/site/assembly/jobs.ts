import type { Config } from '../../core/config/index.ts'
import type { Job } from '../../core/jobs/schedule.ts'
import { noticeOf } from '../../memberships/catalogue/index.ts'
import type { Services } from './services.ts'

/** Background jobs of the membership half. One run of all executes them in this order. */
export function jobsOf(config: Pick<Config, 'compare'>, services: Services): Job[] {
  const {
    providers,
    inbox,
    keepingUp,
    endpoints,
    watch,
    clock,
    overdue,
    unassigned,
    fetches,
    notifier,
    outbox,
    emailChanges,
    catalogue,
    deletions,
    checkoutPolling,
    deadlines,
  } = services
  const work = async (): Promise<void> => {
    // One failing provider does not stop the work of the others.
    const works = await Promise.allSettled([...providers.values()].map(async (provider) => provider.work?.()))
    for (const knownWork of works) if (knownWork.status === 'rejected') throw knownWork.reason
  }
  const readPrices = async (): Promise<void> => {
    for (const key of await catalogue.refreshDue()) {
      const { account = '' } = providers.get(key) ?? {}
      await services.troubles.set({ key, account }, 'prices', noticeOf(key, catalogue.differences(key)))
    }
  }
  return [
    { name: 'work of the providers', everyMs: 5000, run: work },
    { name: 'retry failed events', everyMs: 5000, run: inbox.retryDue },
    ...(config.compare.automatic
      ? [
          { name: 'read what no message told', everyMs: 20_000, run: keepingUp.catchUp },
          { name: 'look at webhook addresses', everyMs: 300_000, run: endpoints.runDue },
          { name: 'compare everything', everyMs: 60_000, run: keepingUp.compareAll },
        ]
      : []),
    { name: 'look for what was never heard of', everyMs: 60_000, run: overdue.runDue },
    { name: 'look at checkouts', everyMs: 2000, run: checkoutPolling.runDue },
    { name: 'ask providers', everyMs: 2000, run: fetches.runDue },
    { name: 'look after unassigned payments', everyMs: 30_000, run: unassigned.runDue },
    { name: 'look ahead', everyMs: 60_000, run: notifier.sweepReminders },
    {
      name: 'store the terms of old purchases',
      everyMs: 60_000,
      firstMs: 100,
      run: services.soldTerms.runDue,
    },
    { name: 'keep open what was open', everyMs: 5000, firstMs: 100, run: services.accessUpgrade.runDue },
    { name: 'tell of members', everyMs: 1000, run: notifier.runDue },
    { name: 'deliver messages', everyMs: 2000, run: outbox.deliverDue },
    { name: 'watch what arrives', everyMs: 60_000, run: watch.runDue },
    { name: 'compare clocks', everyMs: 60_000, firstMs: 1000, run: clock.runDue },
    { name: 'look at groups', everyMs: 5000, run: services.groups.runDue },
    { name: 'look at gifts', everyMs: 5000, run: services.gifts.runDue },
    { name: 'raise prices', everyMs: 60_000, run: services.raises.runDue },
    { name: 'read raised prices', everyMs: 60_000, run: catalogue.loadReplacements },
    { name: 'write of deadlines', everyMs: 60_000, run: deadlines.runDue },
    // A fresh site asks for its prices at once, but the start does not wait for any provider.
    { name: 'read prices', everyMs: 60_000, firstMs: 50, run: readPrices },
    { name: 'ask again whose purchases are', everyMs: 5000, run: services.reconsidering.runDue },
    { name: 'forget buyers of other shops', everyMs: 20_000, run: services.forgetting.runDue },
    { name: 'delete accounts', everyMs: 60_000, run: deletions.runDue },
    { name: 'drop old bodies', everyMs: 3_600_000, run: inbox.dropOldBodies },
    { name: 'drop bodies of other shops', everyMs: 3_600_000, run: inbox.dropOtherBodies },
    { name: 'let old events go', everyMs: 3_600_000, run: inbox.letGo },
    { name: 'let go of what limits hold', everyMs: 30_000, run: services.limits.letGoDue },
    { name: 'let old free pages go', everyMs: 3_600_000, run: services.walls.letGoDue },
    { name: 'let clients of feeds go', everyMs: 3_600_000, run: services.downloads.feeds.letGoDue },
    { name: 'let old rows go', everyMs: 3_600_000, run: services.letGo },
    { name: 'forget old changes of addresses', everyMs: 3_600_000, run: emailChanges.forgetOld },
    { name: 'forget what merges kept', everyMs: 3_600_000, run: services.merging.forgetOld },
    { name: 'forget who was invited', everyMs: 3_600_000, run: services.groups.forgetLapsed },
    { name: 'forget who wanted to merge', everyMs: 3_600_000, run: services.mergeRequests.forgetOld },
  ]
}
