import { DEFAULT_USAGE_DAYS, parseArguments, usageArguments } from '../../catalog/arguments.ts'
import type { OwnGrant, OwnKey, OwnUsage } from '../../catalog/own-key.ts'
import { builder } from '../builder.ts'
import { Dataset } from './dataset.ts'

const KeyGrant = builder.objectRef<OwnGrant>('KeyGrant').implement({
  description: 'Permission for a dataset, whatever its status and visibility.',
  fields: (t) => ({
    dataset: t.expose('dataset', { type: Dataset, description: 'The dataset.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires. Null for never.',
    }),
  }),
})

const KeyUsage = builder.objectRef<OwnUsage>('KeyUsage').implement({
  description: 'Usage of an API key for a dataset on a day.',
  fields: (t) => ({
    day: t.exposeString('day', { description: 'Day in UTC, such as 2026-01-31.' }),
    dataset: t.expose('dataset', {
      type: Dataset,
      nullable: true,
      description:
        'The dataset. Null for requests that read several or none, and for one that the key may not access now.',
    }),
    requests: t.exposeFloat('requests', { description: 'Number of requests.' }),
    items: t.exposeFloat('items', { description: 'Number of items in the responses.' }),
    bytes: t.exposeFloat('bytes', { description: 'Bytes of the bodies of the responses, before compression.' }),
  }),
})

const ApiKey = builder.objectRef<OwnKey>('ApiKey').implement({
  description: 'The API key that is sent.',
  fields: (t) => ({
    id: t.id({ description: 'UUID of the key.', resolve: ({ key }) => key.id }),
    name: t.string({ description: 'What the key is for.', resolve: ({ key }) => key.name }),
    tiers: t.stringList({ description: 'Its access tiers.', resolve: ({ key }) => [...key.accessTiers] }),
    grants: t.field({
      type: [KeyGrant],
      description: 'Its unexpired grants, by slug.',
      extensions: { assumedLength: 20 },
      resolve: (own) => own.grants(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the secret that is sent stops working. Null for never.',
      resolve: ({ key }) => key.expiresAt,
    }),
    requestsPerMinute: t.int({
      nullable: true,
      description: 'Maximum number of requests a minute. Null for no limit. `RateLimit` says what is left.',
      resolve: ({ key }) => key.requestsPerMinute,
    }),
    itemsPerMinute: t.int({
      nullable: true,
      description: 'Maximum number of items a minute. Null for no limit. `RateLimit` says what is left.',
      resolve: ({ key }) => key.itemsPerMinute,
    }),
    origins: t.stringList({
      description: 'The origins of the web pages that may use the key. If empty, any client may.',
      resolve: ({ key }) => [...key.origins],
    }),
    usage: t.field({
      type: [KeyUsage],
      description: 'Its usage on the last days, including today, by day, then slug; up to 30 seconds late.',
      extensions: { cost: 100, assumedLength: 50 },
      args: {
        days: t.arg.int({ defaultValue: DEFAULT_USAGE_DAYS, description: 'Number of days, from 1 to 366.' }),
      },
      resolve: (own, args) => own.usage(parseArguments(usageArguments, args).days),
    }),
  }),
})

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKey,
    description: 'The API key that is sent: its access, limits and usage.',
    resolve: (_query, _args, { catalog }) => catalog.ownKey(),
  }),
)
