import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { Formulas } from './formulas.ts'
import {
  CompiledFormula,
  FormulaCompile,
  FormulaDetailQuery,
  FormulaDetailResponse,
  FormulaListBody,
  FormulaPreviewBody,
  FormulaReports,
  FormulaReportsQuery,
  FormulaScopeQuery,
  FormulaSourceOutputBody,
  FormulaValidateOutputBody,
} from './schema.ts'

const SCOPE_ERRORS = ['invalid-request', 'scope-not-found'] as const
const DETAIL_ERRORS = [...SCOPE_ERRORS, 'formula-not-found'] as const

/** The operations on formulas. */
export const formulaRoutes = (city: CityOf<{ formulas: Formulas }>) => [
  route(
    'GET ~/formulas',
    {
      id: 'get-v0-city-by-city-name-formulas',
      summary: 'List runnable formulas',
      description:
        'One whose file cannot be read is listed with what is wrong as its description; `partial` is true then.',
      query: FormulaScopeQuery,
      ok: FormulaListBody,
      errors: SCOPE_ERRORS,
    },
    (x) => city(x).formulas.list(x.query),
  ),
  route(
    'GET ~/formulas/{name}',
    {
      id: 'get-v0-city-by-city-name-formulas-by-name',
      summary: 'Show a compiled formula',
      description: 'Titles hold the defaults of variables; other texts are as written.',
      query: FormulaDetailQuery,
      ok: FormulaDetailResponse,
      errors: DETAIL_ERRORS,
    },
    (x) => city(x).formulas.detail(x.params.name, x.query),
  ),
  route(
    'GET ~/formula/{name}',
    {
      id: 'get-v0-city-by-city-name-formula-by-name',
      summary: 'Show a compiled formula (alias)',
      query: FormulaDetailQuery,
      ok: FormulaDetailResponse,
      errors: DETAIL_ERRORS,
    },
    (x) => city(x).formulas.detail(x.params.name, x.query),
  ),
  route(
    'POST ~/formulas/{name}/preview',
    {
      id: 'post-v0-city-by-city-name-formulas-by-name-preview',
      repeat: 'again',
      summary: 'Preview a formula with variables',
      description: 'The variables are checked as they are when it is run. Nothing is made.',
      needs: 'read',
      body: FormulaPreviewBody,
      ok: FormulaDetailResponse,
      errors: DETAIL_ERRORS,
    },
    (x) => city(x).formulas.preview(x.params.name, x.body),
  ),
  route(
    'GET ~/formulas/{name}/source',
    {
      id: 'get-v0-city-by-city-name-formulas-by-name-source',
      summary: 'Show the file of a formula of the city',
      ok: FormulaSourceOutputBody,
      errors: ['formula-not-found'],
    },
    (x) => city(x).formulas.source(x.params.name),
  ),
  route(
    'POST ~/formulas/{name}/validate',
    {
      id: 'post-v0-city-by-city-name-formulas-by-name-validate',
      repeat: 'again',
      summary: 'Validate the text of a formula',
      description: 'Errors have line numbers. Nothing is saved.',
      needs: 'read',
      body: Type.Uint8Array(),
      ok: FormulaValidateOutputBody,
      errors: ['invalid-request', 'body-too-large'],
    },
    (x) => city(x).formulas.validate(x.params.name, x.body),
  ),
  route(
    'PUT ~/formulas/{name}',
    {
      id: 'put-v0-city-by-city-name-formulas-by-name',
      summary: 'Save a formula of the city',
      description: 'The formula is checked first. Active runs keep the version they were compiled from.',
      needs: 'configure',
      body: Type.Uint8Array(),
      ok: OKResponseBody,
      errors: ['invalid-request', 'body-too-large', 'conflict-wrong-state', 'conflict-concurrent-modify'],
    },
    (x) => city(x).formulas.put(x.caller, x.params.name, x.body),
  ),
  route(
    'DELETE ~/formulas/{name}',
    {
      id: 'delete-v0-city-by-city-name-formulas-by-name',
      summary: 'Delete a formula of the city',
      needs: 'configure',
      ok: OKResponseBody,
      errors: ['invalid-request', 'formula-not-found', 'conflict-wrong-state', 'conflict-concurrent-modify'],
    },
    (x) => city(x).formulas.remove(x.caller, x.params.name),
  ),
  route(
    'GET ~/formula-files',
    {
      id: 'list-formula-files',
      summary: 'List formula files and their errors',
      description: 'Expansions and aspects, and files that cannot be read, are among them.',
      query: FormulaReportsQuery,
      ok: FormulaReports,
      errors: ['rig-not-found'],
      extension: true,
    },
    (x) => city(x).formulas.reports(x.query),
  ),
  route(
    'POST ~/formulas/{name}/compile',
    {
      id: 'compile-formula',
      repeat: 'again',
      summary: 'Show a compiled formula in full',
      description:
        'With its root, its control steps and its spec beads. Nothing is made, and variables are not checked.',
      needs: 'read',
      body: FormulaCompile,
      ok: CompiledFormula,
      errors: ['invalid-request', 'rig-not-found', 'formula-not-found'],
      extension: true,
    },
    (x) => city(x).formulas.compile(x.params.name, x.body),
  ),
]
