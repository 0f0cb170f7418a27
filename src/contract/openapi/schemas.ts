import { operationIds } from '../../service/operations.ts'
import { statusOf } from '../../service/problem-kinds.ts'
import { headings } from '../clauses.ts'
import type { Deployment, Json } from './deployment.ts'
import { jsonSchema } from './json-schema.ts'
import { ofResource, withMembersTold } from './members.ts'
import { problemsOf } from './operations.ts'
import { point } from './points.ts'
import { problemContent, problemSchemaName, type ServiceProblem } from './problems.ts'
import { body, bodyNames } from './requests.ts'
import { resources } from './resources/resources.ts'

/** The schemas that the document refers to, by name: resources, bodies of requests, problems. Each is made when it is called. */
export function schemas(deployment: Deployment): ReadonlyMap<string, () => Json> {
  const all = new Map<string, () => Json>()
  const described = Object.entries(resources(deployment))
  const names = new Map(described.map(([name, { schema }]) => [schema, name]))
  for (const [name, { schema, section }] of described)
    all.set(name, () => ({
      description: `${headings[section.split(' ')[0]!]} (spec ${section.split(' ')[0]}).`,
      ...withMembersTold(jsonSchema(schema, names), ofResource(section)),
      ...point('S undocumented members'),
    }))
  for (const id of operationIds) {
    const name = bodyNames[id]
    if (name !== undefined) all.set(name, () => body(id, deployment)!)
  }
  for (const name of problemsOfAll(deployment)) {
    const content = problemContent(name, statusOf(name, deployment.dials), deployment.dials)
    if (content) all.set(problemSchemaName(name), () => content.schema)
  }
  return all
}

const problemsOfAll = (deployment: Deployment): ReadonlySet<ServiceProblem> =>
  new Set(operationIds.flatMap(id => problemsOf(id, deployment)))
