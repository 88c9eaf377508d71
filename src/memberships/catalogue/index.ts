export { type Catalogue, createCatalogue } from './catalogue.ts'
