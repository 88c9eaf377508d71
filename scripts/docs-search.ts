/**
 * How the site's search finds pages: the options of MiniSearch, for the index and for the questions. The site
 * carries these functions to the browser as text, so each stands alone.
 */
export const miniSearch = {
  options: {
    // Small words of a question say nothing about the page.
    processTerm: (term: string): string | null => {
      const word = term.toLowerCase().replace(/[’']s$/, '')
      const isSmall =
        /^(an?|and|are|as|at|be|by|can|do|does|for|from|get|have|how|if|in|into|is|it|me|my|not|of|on|or|our|so|that|the|their|them|this|to|use|want|we|when|where|which|who|why|will|with|you|your|i)$/
      return isSmall.test(word) ? null : word
    },
  },
  searchOptions: {
    // Guides come before pages of one provider, these before reference and explanation, and all before symbols of the API.
    boostDocument: (id: string): number => {
      const isReference =
        /\/(after-a-restore|alerts|any-order|certify|commands[\w-]*|compare|configuration|contents|dependencies|errors|gates|hosts|http-routes|members|migration[\w-]*|operating|performance|provider-capabilities|rate-limit|rules-of-[\w-]+|security|selling|tested|testing|webhooks|website-index)(#|$)/
      const isOfProvider =
        /\/reference\/(apple|chargebee|creem|dodo|google|lemonsqueezy|mollie|paddle|paypal|polar|revenuecat|stripe|your-own-provider|what-happens-[\w-]+)(#|$)/
      if (id.includes('/api/')) return 0.05
      if (isOfProvider.test(id)) return 0.3
      if (id.includes('/reference/')) return 0.65
      if (isReference.test(id)) return 0.3
      return id.includes('/providers/') ? 0.5 : 1
    },
  },
}
