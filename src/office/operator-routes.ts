import { isEmail, normalEmail } from '../core/email.ts'
import { MembershipError } from '../core/errors.ts'
import type { Users } from '../memberships/members/index.ts'
import { confirmedActions, type Doing, type Plan } from './confirming.ts'
import type { Operators } from './operators.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'

/** Dependencies of the page about operators. */
export interface OperatorRoutesDeps {
  readonly pages: Pages
  readonly doing: Doing
  readonly randomId: () => string
  readonly operators: Operators
  readonly users: Pick<Users, 'findByEmail' | 'create'>
  /** Sends a login link by mail that works once and leads to the office. */
  readonly sendLink: (email: string, path: string) => Promise<void>
}

/** The people who may enter the office. Only owners see the page, invite and remove. */
export function operatorRoutes(routes: OfficeRoutes, deps: OperatorRoutesDeps): void {
  const { pages, operators, users, sendLink } = deps

  routes.page(
    '/operators',
    async ({ ctx, who }) => pages.show(ctx, who, 'operators', { rows: await operators.list() }),
    'owner',
  )

  const invite: Plan = ({ text, who }) => {
    const email = normalEmail(text('email') ?? '')
    if (!isEmail(email))
      throw new MembershipError('ERR_FORM', `"${(text('email') ?? '').slice(0, 100)}" is no e-mail address.`)
    const role = text('role') ?? 'viewer'
    return {
      action: 'operator-invite',
      memberId: null,
      subject: email,
      fields: { email, role },
      says: [
        {
          key: `do.operator-invite.${role === 'owner' ? 'owner' : role === 'operator' ? 'operator' : 'viewer'}`,
          fill: { email },
        },
      ],
      run: async () => {
        const added = await operators.add({ email, role, by: who.name })
        // A login link is sent to accounts alone.
        if ((await users.findByEmail(email)) === null) await users.create({ email })
        await sendLink(email, office)
        return added
      },
      after: () => ({ role }),
      shown: () => ({ key: 'do.operator-invite.shown', fill: { email } }),
    }
  }

  const remove: Plan = async ({ text }) => {
    const found = await operators.find(text('email') ?? '')
    if (found === null) throw new MembershipError('ERR_NOT_FOUND', 'This person may not enter the office.')
    const { email, role } = found
    return {
      action: 'operator-remove',
      memberId: null,
      subject: email,
      before: { role },
      fields: { email },
      says: [{ key: 'do.operator-remove.says', fill: { email } }],
      run: () => operators.remove(email),
      after: () => null,
      shown: () => ({ key: 'do.operator-remove.shown', fill: { email } }),
    }
  }

  const confirmed = confirmedActions(routes, deps, 'owner')
  confirmed('/operators/invite', `${office}/operators`, invite)
  confirmed('/operators/remove', `${office}/operators`, remove)
}
