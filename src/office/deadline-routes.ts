import type { Deadlines, Declarations, UnusedMoney } from '../memberships/shop/index.ts'
import { notThere } from './action-subjects.ts'
import { confirmedActions, type Doing, type Plan } from './confirming.ts'
import type { Pages } from './pages.ts'
import type { RejectedRefunds } from './rejected-refunds.ts'
import { type OfficeRoutes, office } from './routes.ts'

/**
 * Disputes, declarations, payments that opened nothing and rejected refunds, oldest first, with actions that mark all
 * but disputes as done. A dispute leaves the list when its provider reports a decision.
 */
export function deadlineRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    doing: Doing
    randomId: () => string
    deadlines: Pick<Deadlines, 'list'>
    declarations: Pick<Declarations, 'find' | 'settle'>
    rejected: RejectedRefunds
    unusedMoney: Pick<UnusedMoney, 'settle'>
    now: () => Date
  },
): void {
  const { pages, deadlines, declarations, rejected, unusedMoney, now } = deps

  routes.page('/deadlines', async ({ ctx, who }) => {
    const today = now().toISOString().slice(0, 10)
    const rows = (await deadlines.list()).map((deadline) => ({
      ...deadline,
      isLate: deadline.due_on !== null && deadline.due_on < today,
    }))
    pages.show(ctx, who, 'deadlines', { rows, refunds: await rejected.list() })
  })

  const settle: Plan = async ({ text, who }) => {
    const id = text('declaration')
    const declaration = id === null ? null : await declarations.find(id)
    if (declaration === null) throw notThere('declaration', id)
    const { kind, name, contract, member_id: memberId, status } = declaration
    return {
      action: 'declaration-settle',
      memberId,
      subject: declaration.id,
      before: { status },
      fields: { declaration: declaration.id },
      says: [{ key: `do.declaration-settle.${kind}`, fill: { name, contract } }],
      run: () => declarations.settle(declaration.id, who.name),
      after: () => ({ status: 'done' }),
      shown: () => ({ key: 'do.declaration-settle.shown' }),
    }
  }
  const settleRefund: Plan = async ({ text, who }) => {
    const refund = await rejected.find(text('refund'))
    if (refund === null) throw notThere('refund', text('refund'))
    return {
      action: 'refund-settle',
      memberId: refund.member_id,
      subject: refund.payment_id ?? refund.key,
      fields: { refund: refund.key },
      says: [{ key: 'do.refund-settle.says', fill: { payment: refund.payment_id ?? refund.key } }],
      run: () => rejected.settle(refund.key, who.name),
      shown: () => ({ key: 'do.refund-settle.shown' }),
    }
  }
  const settlePayment: Plan = async ({ text, who }) => {
    const payment = (await deadlines.list()).find(({ key }) => key !== undefined && key === text('payment'))
    if (payment?.key === undefined) throw notThere('payment', text('payment'))
    const { key, id, member_id: memberId } = payment
    return {
      action: 'payment-settle',
      memberId,
      subject: id,
      fields: { payment: key },
      says: [{ key: 'do.payment-settle.says', fill: { payment: id } }],
      run: () => unusedMoney.settle(key, who.name),
      shown: () => ({ key: 'do.payment-settle.shown' }),
    }
  }
  const confirmed = confirmedActions(routes, deps)
  confirmed('/deadlines/settle', `${office}/deadlines`, settle)
  confirmed('/deadlines/refund', `${office}/deadlines`, settleRefund)
  confirmed('/deadlines/payment', `${office}/deadlines`, settlePayment)
}
