import { boughtOnce, type Config, openWhilePaused } from '../../core/config/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import type { UserRules } from '../../memberships/members/index.ts'

/** What decides over members' access. The plans are those of now, whenever it is asked. */
export const rulesOf = (config: Config, catalogue: Pick<Catalogue, 'all'>, now: () => Date): UserRules => ({
  get plans() {
    return catalogue.all()
  },
  pastDueSeconds: config.gates.past_due_seconds,
  openWhilePaused: openWhilePaused(config.providers),
  unknownIsOneTime: boughtOnce(config.providers),
  fields: new Map(Object.entries(config.providers).map(([key, p]) => [p.field, key])),
  now,
})
