import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from './support/app.ts'
let t: TestApp
beforeAll(async () => { t = await startApp() })
afterAll(() => t.close())
test('x', async () => {
  const show = async (p: string, h?: Record<string,string>) => { t.statements.length = 0; const r = await t.get(p, h); const x = await r.text(); console.log(r.status, p, JSON.stringify(Object.fromEntries(r.headers)).slice(0,600), x.slice(0, 900), t.statements.length) }
  await show('/v1/datasets'); await show('/v1/datasets', {}); await show('/v1/datasets', {authorization:'Bearer x'})
  await show('/v1/datasets/seoul'); await show('/v1/datasets/SEOUL');await show('/v1/datasets/paid')
  await show('/v1/datasets/seoul/items?limit=2&sort=createdAt&order=desc'); await show('/v1/datasets/seoul/items?limit=101&page=0&sort=x')
  await show('/v1/datasets/seoul/items?limit=1&limit=2&parentItemId=null&page=2147483647')
  await show('/v1/dataset-items/22222222-0000-4000-8000-000000000001'); await show('/v1/dataset-items/nearby?latitude=37.57&longitude=126.97&radius=5000')
  await show('/v1/dataset-items/nearby?latitude=-90&longitude=0&limit=1'); await show('/v1/dataset-items/nearby'); await show('/v1/x'); await show('/v1/datasets/'); await show('/v1/datasets/%zz');await show('/v1/datasets/%00')
  await show('/healthz'); await show('/readyz');
  for (const m of ['POST','DELETE','OPTIONS','HEAD','PATCH','PROPFIND']) { const r = await fetch(t.url+'/v1/datasets',{method:m,headers:{authorization:`Bearer ${t.key}`}}); console.log(m, r.status, r.headers.get('allow'), (await r.text()).slice(0,200)) }
  for (const q of ['{datasets{nodes{slug status items(limit:2){total nodes{name parent{name} images{id} children{total nodes{name}}}}}}}','{dataset(id:"paid"){id}}','{nope}','{','{dataset(id:"seoul"){items(limit:101){total}}}','query($l:Int){dataset(id:"seoul"){items(limit:$l){total}}}']) { t.statements.length=0; const r = await t.graphql(q, {l: 2147483648}); console.log(r.status, JSON.stringify(r.body).slice(0,600), t.statements.length) }
})
test('y', async () => {
  for (const p of ['/v1/datasets/','/v1/datasets/seoul/','/v1/datasets//items','/v1/datasets/a/b/items','/v1/datasets/a%2Fb','/v1/datasets/a%2Fb/items','/v1/dataset-items/','/v1/dataset-items/nearby','/v1/dataset-items/x', '/v1/datasets/'+'a'.repeat(9000),'/v1/datasets/%ff', '/v1/datasets?', '/v1//datasets', '//v1/datasets', '/graphql/', '/v1/datasets/x%00/items', '/V1/datasets']) {
    const a = await t.get(p, {}), b = await t.get(p); console.log(p.slice(0,50), a.status, b.status, a.headers.get('x-request-id')?.length)
  }
})
