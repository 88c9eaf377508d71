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

// The parts of NestJS used here: https://docs.nestjs.com/exception-filters
declare module '@nestjs/common' {
  export const Catch: (...errors: unknown[]) => (filter: new () => unknown) => void
}
