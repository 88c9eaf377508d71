import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.payments`. */
export const payments: Examples = {
  async list({ m, ann }) {
    const [payment] = await m.payments.list({ user: ann })
    equal([payment?.amount, payment?.currency, payment?.status], [900, 'EUR', 'paid'])
  },

  async get({ m, ann }) {
    const [payment] = await m.payments.list({ user: ann })
    equal((await m.payments.get(payment?.id ?? '')).amount, 900)
    equal(await codeOf(() => m.payments.get('ch_of_nobody')), 'ERR_NOT_FOUND')
  },

  async refund({ m, ann }) {
    const [payment] = await m.payments.list({ user: ann })
    if (payment === undefined) return
    const part = await m.payments.refund({ payment, amount: 300, key: 'ticket-12' })
    equal(part.amount_refunded, 300)
    const all = await m.payments.refund({ payment, end: 'now' })
    equal(all.amount_refunded, 900)
    equal((await m.users.findById(ann.id))?.hasGate('pro'), false)
  },

  async unassigned({ m }) {
    equal(await m.payments.unassigned(), [])
  },

  async assign({ m, ann }) {
    const [payment] = await m.payments.list({ user: ann })
    // Only a payment of unknown purpose can be assigned; Stripe says what this one was for.
    const assign = () => m.payments.assign({ id: payment?.id ?? '', one_time: true, by: 'eve' })
    equal(await codeOf(assign), 'ERR_USAGE')
  },
}

/** Examples of `m.invoices`. */
export const invoices: Examples = {
  async list({ m, ann }) {
    const [invoice] = await m.invoices.list({ user: ann })
    equal([invoice?.status, invoice?.total], ['paid', 900])
  },
}
