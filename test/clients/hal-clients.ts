import halHttp from 'hal-http-client'
import { basicAuth, Client, type State } from 'ketting'

/** A link as a HAL client shows it. */
export interface SeenLink {
  readonly rel: string
  /** Absolute; undefined for a template. */
  readonly href: string | undefined
  /** Where the client says that a template leads. */
  expand(variables: Readonly<Record<string, string>>): Promise<string>
}

/** A HAL client that somebody else wrote: gives every link of a resource, and of what is embedded in it. */
export type HalClient = (url: string) => Promise<readonly SeenLink[]>

export interface Account {
  readonly user: string
  readonly password: string
}

export function ketting(base: string, { user, password }: Account): HalClient {
  const client = new Client(base)
  client.use(basicAuth(user, password))
  const linksOf = (state: State): SeenLink[] => [
    ...state.links.getAll().map(({ rel, href, context, templated }) => ({
      rel,
      href: templated ? undefined : new URL(href, context).href,
      expand: async (variables: Readonly<Record<string, string>>) => (await state.follow(rel, variables)).uri,
    })),
    ...state.getEmbedded().flatMap(linksOf),
  ]
  // It keeps what was embedded somewhere for the resource itself.
  return async url => linksOf(await client.go(url).refresh())
}

type Plain = { readonly href: string; readonly templated?: boolean }
interface Representation {
  readonly _links?: Readonly<Record<string, Plain | readonly Plain[]>>
  readonly _embedded?: Readonly<Record<string, Representation | readonly Representation[]>>
}

export function halHttpClient(base: string, { user, password }: Account): HalClient {
  /** It tells where a template leads by going there. */
  let asked = ''
  const hal = halHttp.create({
    headers: { authorization: `Basic ${btoa(`${user}:${password}`)}` },
    middlewares: [
      {
        request(call) {
          asked = call.url
          return call
        },
      },
    ],
  })
  const linksOf = (resource: Representation): SeenLink[] => [
    ...Object.entries(resource._links ?? {}).flatMap(([rel, links]) =>
      [links].flat().map(({ href, templated }) => ({
        rel,
        href: templated ? undefined : new URL(href, base).href,
        async expand(variables: Readonly<Record<string, string>>) {
          await hal.follow(resource, rel, { vars: variables, followEmbedded: false }).on({ xxx: () => {} })
          return asked
        },
      })),
    ),
    ...Object.values(resource._embedded ?? {}).flatMap(all => [all].flat().flatMap(linksOf)),
  ]
  return async url => {
    let seen: Representation | undefined
    let status = 0
    await hal.follow({ _links: { wanted: { href: url } } }, 'wanted').on({
      xxx: (data, response) => {
        status = response.status
        seen = data as Representation
      },
    })
    if (status !== 200 || !seen) throw new Error(`${url} answered ${status}`)
    return linksOf(seen)
  }
}
