import { createCallers } from '../../core/http/callers.ts'
import type { FormRoutes } from '../../core/http/form-router.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { digitsOf } from '../../providers/registry.ts'
import type { Ground } from './ground.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'
import { publicUrl, siteNameOf } from './site-name.ts'

// Whoever works in the office opens page after page.
const requestsPerMinute = 600

/** The operator's office, loaded where a site has one; null where it has none. */
export const openOffice = async (
  ground: Ground,
  rooms: Rooms,
  people: People,
): Promise<FormRoutes | null> => {
  const { config, options, root, storage, secrets, now, randomId, log, definitions } = ground
  if (!config.office.enabled) return null
  const { createOffice } = await import('../../memberships/office/index.ts')
  const ratelimit = createRateLimit({ limit: requestsPerMinute, policy: 'office' })
  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  return createOffice({
    ...rooms,
    ...people,
    ...{ storage, secrets, now, randomId, log },
    options: options.office ?? {},
    limit: async (ctx, next) => {
      ctx.set(await callers.count(callers.callerOf(ctx.req)))
      await next()
    },
    rooms: {
      actions: rooms.actions,
      merging: rooms.merging,
      compare: rooms.compare,
      deletions: rooms.deletions,
      loginLink: (memberId) => rooms.links.give(memberId, publicUrl(config)),
    },
    mails: rooms.mailing.sent,
    pulling: { pull: rooms.pull, canPull: (key) => rooms.providers.get(key)?.pull !== undefined },
    providerKeys: [...rooms.providers.keys()],
    digitsOf: digitsOf(definitions),
    ...{ root, siteName: siteNameOf({ config, options }), defaultLanguage: config.language },
    index: config.reports.system === null ? null : rooms.reports.api,
    check: async () => {
      if (root === false) return []
      const { examine } = await import('../doctor/index.ts')
      return (await examine(root, { env: process.env, now, randomId })).checks
    },
  })
}
