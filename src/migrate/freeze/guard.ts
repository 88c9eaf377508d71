import { type SiteFacts, shortPrefix } from '../plan.ts'

/** A piece of text that makes a server refuse webhooks, with the marks that find it again. */
export interface Guard {
  readonly text: string
  readonly begin: string
  readonly end: string
}

/** Seconds after which a provider may retry; each follows its own schedule. */
const retryAfterSeconds = 600

/** Returns the path below which version 1 accepts webhooks, as servers and patterns write it. */
export const webhookPath = (facts: SiteFacts): string => `/${shortPrefix(facts)}/webhooks/`

/** Builds the guard for the front controller: it answers before anything of the site is loaded. */
export const phpGuard = (facts: SiteFacts): Guard => {
  const begin = '/* membership freeze: begin */'
  const end = '/* membership freeze: end */'
  const code =
    `if (strpos(rawurldecode((string) ($_SERVER['REQUEST_URI'] ?? '')), '${webhookPath(facts)}') !== false) ` +
    `{ http_response_code(503); header('Retry-After: ${retryAfterSeconds}'); exit; }`
  return { begin, end, text: ` ${begin} ${code} ${end}` }
}

/** Builds the guard for `.htaccess`. A status that is no redirect ends the rules:
 *  https://httpd.apache.org/docs/2.4/rewrite/flags.html#flag_r */
export const apacheGuard = (facts: SiteFacts): Guard => {
  const begin = '# membership freeze: begin'
  const end = '# membership freeze: end'
  const path = webhookPath(facts).slice(1).replace(/\./g, '\\.')
  return {
    begin,
    end,
    text: [begin, 'RewriteEngine On', `RewriteRule (^|/)${path} - [R=503,L]`, `${end}\n`].join('\n'),
  }
}

/** Returns the lines for a server whose configuration lies outside the site. */
export const byHand = (facts: SiteFacts): readonly { server: string; text: string }[] => {
  const path = webhookPath(facts)
  return [
    {
      server: 'nginx, in the server block, then: nginx -s reload',
      text: `location ^~ ${path} { add_header Retry-After ${retryAfterSeconds} always; return 503; }`,
    },
    {
      server: 'Caddy, in the site’s block, then: caddy reload',
      text: `handle ${path}* {\n  header Retry-After ${retryAfterSeconds}\n  respond 503\n}`,
    },
  ]
}
