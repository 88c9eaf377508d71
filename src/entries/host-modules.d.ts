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
