module.exports = require('@strapi/strapi').factories.createCoreService('api::recipe.recipe')
