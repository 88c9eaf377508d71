import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { port } from '../settings.mjs'
import { App } from './app.js'
import { mount } from './membership.js'

const app = await NestFactory.create(App)
await mount(app)
await app.listen(port)
