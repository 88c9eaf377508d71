// As much of Next as is used here; the package itself is the site's: https://nextjs.org/docs/app/api-reference/functions
declare module 'next/headers' {
  export const headers: () => Promise<Headers>
  export const cookies: () => Promise<{
    set(cookie: { name: string; value: string } & Record<string, unknown>): unknown
  }>
}
declare module 'next/navigation' {
  export const redirect: (url: string) => never
}
