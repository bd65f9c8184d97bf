/* A web server, and clients that keep it busy. */
#ifndef WEB_H
#define WEB_H

/* Makes the files and serves them, in the background: PORT WORKERS. */
void web_server(const char *argument);

/* Clients, each of which asks again as soon as it has an answer: ADDRESS PORT CLIENTS, and the milliseconds not to count and to count;
 * without these, without end. */
void web_clients(const char *argument);

#endif
