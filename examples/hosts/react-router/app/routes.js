import { index, route } from '@react-router/dev/routes'

export default [
  index('routes/home.jsx'),
  route('archive', 'routes/archive.jsx'),
  route('buy', 'routes/buy.js'),
  route('cancel', 'routes/cancel.js'),
  route('api/archive', 'routes/api-archive.js'),
  route('api/posts', 'routes/api-posts.js'),
  route('feed.xml', 'routes/feed.js'),
  route('sitemap.xml', 'routes/sitemap.js'),
  route('membership/*', 'routes/membership.js'),
]
