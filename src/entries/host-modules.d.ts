// The parts of Next used here; the site brings the packages:
// https://nextjs.org/docs/app/api-reference/functions
declare module 'next/headers' {
  export const headers: () => Promise<Headers>
  export const cookies: () => Promise<{
    getAll(): readonly { readonly name: string; readonly value: string }[]
    set(cookie: { name: string; value: string } & Record<string, unknown>): unknown
  }>
}
declare module 'next/navigation' {
  export const redirect: (url: string) => never
}

// Auth.js is loaded where a site names it: https://authjs.dev/reference/core
declare module '@auth/core' {
  export const Auth: (request: Request, config: object) => Promise<Response>
  export const skipCSRFCheck: symbol
}

// The parts of Payload used here: https://payloadcms.com/docs
declare module 'payload' {
  export const getPayload: (input: { config: object | Promise<object> }) => Promise<object>
  export const createLocalReq: (input: { user: object }, payload: object) => Promise<object>
  export const logoutOperation: (input: { collection: object; req: object }) => Promise<unknown>
  export const generateExpiredPayloadCookie: (input: {
    collectionAuthConfig: object
    cookiePrefix: string
    returnCookieAsObject: false
  }) => string
}

// React's own types come with the site: https://react.dev/reference/react
declare module 'react' {
  export interface ReactElement {
    readonly type: unknown
    readonly props: unknown
    readonly key: string | null
  }
  export type ReactNode = ReactElement | string | number | boolean | null | undefined | Iterable<ReactNode>
  export const createElement: (type: unknown, props: object | null, ...children: unknown[]) => ReactElement
  export const createContext: <T>(value: T) => { readonly Provider: unknown } & { readonly value?: T }
  export const useContext: <T>(context: { readonly value?: T }) => T
  export const useEffect: (effect: () => unknown, deps?: readonly unknown[]) => void
  export const useSyncExternalStore: <T>(
    subscribe: (listener: () => void) => () => void,
    now: () => T,
    onServer: () => T,
  ) => T
}

// The parts of NestJS used here: https://docs.nestjs.com/exception-filters
declare module '@nestjs/common' {
  export const Catch: (...errors: unknown[]) => (filter: new () => unknown) => void
}

// The parts of Nuxt used here: https://nuxt.com/docs/4.x/api/composables/use-async-data
declare module 'nuxt/app' {
  import type { Ref } from 'vue'

  export const useRuntimeConfig: () => { readonly app: { readonly baseURL: string } }
  export const useRequestEvent: () => { readonly context: object } | undefined
  export const useNuxtApp: () => {
    readonly isHydrating?: boolean
    readonly payload: { readonly serverRendered?: boolean }
  }
  export const useAsyncData: <T>(
    key: string,
    load: () => Promise<T>,
    options: { default: () => null },
  ) => {
    readonly data: Ref<T | null>
    readonly error: Ref<Error | null | undefined>
    refresh(): Promise<void>
  } & Promise<unknown>
  export const defineNuxtRouteMiddleware: (
    middleware: (to: {
      readonly meta: Readonly<Record<string, unknown>>
      readonly fullPath: string
    }) => unknown,
  ) => unknown
  export const navigateTo: (path: string, options: { external: true }) => unknown
  export const createError: (error: { statusCode: number; statusMessage: string; fatal: true }) => Error
}

// Vue's own types come with the site: https://vuejs.org/api/reactivity-core.html#ref
declare module 'vue' {
  export interface Ref<T> {
    value: T
  }
}
