/** The pages of the site in four kinds: tutorial, guides, reference and explanation. */
export const pages = (entries: Record<string, string>) =>
  Object.entries(entries).map(([text, link]) => ({ text, link: `/${link}` }))

export const sidebar = [
      { text: 'Tutorial', items: pages({ 'From init to a deployed site': 'start' }) },
      {
        text: 'Guides: your site',
        items: pages({
          Hosts: 'hosts',
          'Your own login': 'your-own-login',
          'better-auth': 'better-auth',
          Payload: 'payload',
          Strapi: 'strapi',
          SvelteKit: 'sveltekit',
          Astro: 'astro',
          Nuxt: 'nuxt',
          'React Router': 'react-router',
          React: 'react',
          'Logo, colours and fonts': 'brand',
          'Passes at the edge': 'edge',
          'Typed client': 'client',
          'Testing your site': 'testing',
        }),
      },
      {
        text: 'Guides: sell and show',
        items: pages({
          Selling: 'selling',
          Gifts: 'gifts',
          'App stores': 'apps',
          Teams: 'teams',
          'Gates and templates': 'gates',
          Features: 'features',
          Limits: 'limits',
          'Metered wall': 'metered-wall',
          'Timed content': 'timed-content',
          'Private files and feeds': 'files-and-feeds',
          Members: 'members',
          Hooks: 'hooks',
          'Events for other systems': 'events-out',
          'A Discourse forum': 'discourse',
          Mails: 'mails',
          Recipes: 'recipes',
        }),
      },
      {
        text: 'Guides: providers',
        items: pages({
          'Each provider': 'providers/README',
          Webhooks: 'webhooks',
          'Your own provider': 'your-own-provider',
          Importing: 'importing',
          'Switching providers': 'switching',
        }),
      },
      {
        text: 'Guides: operate',
        items: pages({
          Deploying: 'deploying',
          Office: 'office',
          Operating: 'operating',
          'Leak audit': 'leaks',
          'Price raises': 'price-raises',
          'Several machines': 'several-machines',
          Privacy: 'privacy',
          'Shop law': 'shop-law',
          'Website index': 'website-index',
          'From version 1': 'migration',
        }),
      },
      {
        text: 'Reference',
        items: pages({
          Configuration: 'configuration',
          Errors: 'errors',
          'What each provider can do': 'provider-capabilities',
          API: 'api/membership',
          'API of the testkit': 'api/membership/testkit/',
          Dependencies: 'dependencies',
        }),
      },
      {
        text: 'Explanation',
        items: pages({
          'Security and decisions': 'security',
          Performance: 'performance',
          'How it is tested': 'tested',
        }),
      },
    ]
