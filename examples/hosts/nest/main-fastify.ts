import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { App } from './app.js'
import { mount } from './membership.js'

const app = await NestFactory.create<NestFastifyApplication>(App, new FastifyAdapter())
await mount(app)
await app.listen(Number(process.env.PORT ?? 3000))
