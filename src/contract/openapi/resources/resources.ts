import type { Deployment } from '../deployment.ts'
import { customerResources } from './customers.ts'
import { mailingResources } from './mailings.ts'
import { sendingResources } from './sendings.ts'
import { Hal, type Resource } from './shapes.ts'
import { synchronizationResources } from './synchronizations.ts'

/** The resources of spec section 2 as this deployment writes them, by the names that the document gives them. */
export function resources(deployment: Deployment) {
  const hal = new Hal(deployment)
  return {
    Link: { schema: hal.link, section: '2' },
    PageLink: { schema: hal.pageLink, section: '2' },
    TemplatedLink: { schema: hal.templatedLink, section: '2' },
    Curies: { schema: hal.curies, section: '2' },
    ...sendingResources(hal),
    ...synchronizationResources(hal),
    ...mailingResources(hal),
    ...customerResources(hal),
  } satisfies Record<string, Resource>
}

export type ResourceName = keyof ReturnType<typeof resources>
