/* The library that pltcall calls through its PLT. */
void foreign(void);

void foreign(void)
{
}
