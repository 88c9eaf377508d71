module.exports = require('@strapi/strapi').factories.createCoreRouter('api::recipe.recipe')
