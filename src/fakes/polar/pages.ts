import { buyerIn, type PageHandler, payAsKnown, payForm, payOpen } from '../engine/index.ts'
import type { Account } from './account.ts'

/** Serves Polar's pages: a checkout, and the portal, where open orders are paid. */
export function createPages({ world }: Account): PageHandler {
  return async ({ method, path, form }) => {
    const [, what, id = ''] = path.split('/')
    const html = payForm('Polar')
    if (what === 'checkout') {
      if (method !== 'POST') return { html }
      const { refusal } = payAsKnown(world, id.replace('polar_c_', ''), buyerIn(form))
      return { html, status: refusal === null ? 200 : 402 }
    }
    if (what !== 'portal') return null
    const { card } = buyerIn(form)
    if (method === 'POST' && card !== undefined) payOpen(world, id, card)
    return { html }
  }
}
