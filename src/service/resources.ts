import {
  accessibleListsForm,
  customerCollection,
  customerForm,
  listCollection,
  listForm,
} from './customers.ts'
import { mailingUploadForm } from './mailing-uploads.ts'
import { mailingCollection, mailingForm, mailingItemForm } from './mailings.ts'
import {
  previewForm,
  testMailGroupCollection,
  testMailGroupForm,
  testProfileCollection,
  testProfileForm,
} from './previews-and-tests.ts'
import type { AnyForm, Collection } from './resource.ts'
import { createdSendingForm, sendingCollection, sendingForm, sendingItemForm } from './sendings/routes.ts'
import { statisticsForm } from './sendings/statistics.ts'
import {
  synchronizationCollection,
  synchronizationForm,
  synchronizationItemForm,
} from './synchronizations.ts'

/** All forms of all resources and their collections, in the order of the OpenAPI document. */
export const resources: readonly (AnyForm | Collection)[] = [
  createdSendingForm,
  sendingForm,
  sendingItemForm,
  sendingCollection,
  statisticsForm,
  synchronizationForm,
  synchronizationItemForm,
  synchronizationCollection,
  previewForm,
  mailingUploadForm,
  testProfileForm,
  testProfileCollection,
  testMailGroupForm,
  testMailGroupCollection,
  mailingForm,
  mailingItemForm,
  mailingCollection,
  customerForm,
  customerCollection,
  listForm,
  listCollection,
  accessibleListsForm,
]
