export { beadCount, type GraphPlan, planGraph } from './graph-plan.ts'
export { Instantiator } from './instantiator.ts'
export { routeGraph, routeMolecule } from './step-route.ts'
