import type { Ground } from './ground.ts'

/** How the site calls itself on the package's pages: as configured, never as a request's Host header says. */
export const siteNameOf = ({ config, options }: Pick<Ground, 'config' | 'options'>): string =>
  config.name ??
  options.mails?.siteName ??
  (config.url === null ? 'Membership' : new URL(config.url).hostname)
