module.exports = require('@strapi/strapi').factories.createCoreController('api::recipe.recipe')
