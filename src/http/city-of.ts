/** Finds the services of the running city that a request names; throws `city-not-found` when there is none. */
export type CityOf<Services> = (exchange: { params: { cityName: string } }) => Services
