import {
  createError,
  defineNuxtRouteMiddleware,
  navigateTo,
  useAsyncData,
  useNuxtApp,
  useRequestEvent,
  useRuntimeConfig,
} from 'nuxt/app'
import type { Ref } from 'vue'
import type { GateId } from '../core/register.ts'
import type { Visitor } from '../site/pages/index.ts'
import type { PageAccess } from './nuxt-server.ts'

/** The visitor of a page. */
export interface MembershipState {
  /** Null until the visitor is known. */
  readonly visitor: Ref<Visitor | null>
  /** The reason why the visitor could not be loaded. */
  readonly error: Ref<Error | null | undefined>
  /** True if the gate is open. Hide nothing with it that must stay secret: the browser has it already. */
  readonly allows: (gate: string | readonly string[]) => boolean
  /** Loads the visitor again, after a purchase in another tab. */
  readonly reload: () => Promise<void>
}

/**
 * Returns the visitor, loaded once for all components and on the server with the page. `await` it where the
 * code of a component needs the answer at once.
 */
export function useMembership(): MembershipState & Promise<MembershipState> {
  const page = accessOfPage()
  const { baseURL } = useRuntimeConfig().app
  const loaded = useAsyncData('membership', () => page?.visitor() ?? me(baseURL), { default: () => null })
  const { data: visitor, error, refresh } = loaded
  const state: MembershipState = {
    visitor,
    error,
    allows: (gate) => isOpen(visitor.value, gate),
    reload: () => refresh(),
  }
  return Object.assign(
    loaded.then(() => state),
    state,
  )
}

/** Closes pages with `definePageMeta({ gate })`: on the server, and when the browser changes pages by itself. */
export default defineNuxtRouteMiddleware(async ({ meta, fullPath }) => {
  if (meta.gates !== undefined)
    throw createError({
      statusCode: 500,
      statusMessage: 'definePageMeta({ gates }) closes nothing: write `gate`, for several gates, too.',
      fatal: true,
    })
  const gate = meta.gate as GateId | readonly GateId[] | undefined
  if (gate === undefined) return
  const page = accessOfPage()
  if (page) return page.enter(gate)
  const { isHydrating, payload } = useNuxtApp()
  if (isHydrating && payload.serverRendered) return
  const visitor = await me(useRuntimeConfig().app.baseURL).catch(() => null)
  if (isOpen(visitor, gate)) return
  // The server has the page that says what opens this one.
  if (payload.serverRendered) return navigateTo(fullPath, { external: true })
  throw createError({ statusCode: 403, statusMessage: 'This page is for members.', fatal: true })
})

function accessOfPage(): PageAccess | undefined {
  return (useRequestEvent()?.context as { membershipPage: PageAccess } | undefined)?.membershipPage
}

function isOpen(visitor: Visitor | null, gate: string | readonly string[]): boolean {
  return [gate].flat().some((name) => visitor?.gates.includes(name) ?? false)
}

async function me(baseURL: string): Promise<Visitor> {
  const answer = await fetch(`${baseURL.replace(/\/+$/, '')}/membership/me`, {
    headers: { accept: 'application/json' },
  })
  if (!answer.ok) throw new Error(`/membership/me was answered ${answer.status}.`)
  return (await answer.json()) as Visitor
}
