import type { SecretShapes } from '../secret-shapes.ts'

/**
 * Prefixes: `polar_oat_…` of an organisation, `polar_pat_…` of a person, `polar_cst_…` of a customer's
 * session. An endpoint's secret is `whsec_…`, formerly `polar_whs_…`, or a text of the site's choice. No key
 * shows its mode: the sandbox is a separate host. Source: https://polar.sh/docs/integrate/authentication
 */
export const polarSecrets = {
  prefixes: ['polar_', 'whsec_'],
  mistaken: {
    webhook: [
      [/^polar_(oat|pat|at)_/, 'an API key'],
      [/^polar_cst_/, 'the token of a customer’s session'],
    ],
    secret: [
      [/^(polar_whs_|whsec_)/, 'a webhook secret'],
      [/^polar_cst_/, 'the token of a customer’s session'],
    ],
  },
} satisfies SecretShapes
