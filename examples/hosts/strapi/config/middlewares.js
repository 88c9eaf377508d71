module.exports = [
  'logger',
  'errors',
  'security',
  'cors',
  'query',
  'body',
  'session',
  'favicon',
  'public',
].map((one) => `strapi::${one}`)
