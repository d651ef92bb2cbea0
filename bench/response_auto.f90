! SPDX-License-Identifier: MIT
! The chain of bench/response.c for AUTO-07p: x_i, v_i, then an oscillator whose limit cycle cos(w t), sin(w t) drives it, since AUTO's periodic
! problems are autonomous. Derivatives are given (JAC=1). PAR(1): F, PAR(2): w, PAR(11): the period.
SUBROUTINE FUNC(NDIM, U, ICP, PAR, IJAC, F, DFDU, DFDP)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM, ICP(*), IJAC
  DOUBLE PRECISION, INTENT(IN) :: U(NDIM), PAR(*)
  DOUBLE PRECISION, INTENT(OUT) :: F(NDIM)
  DOUBLE PRECISION, INTENT(INOUT) :: DFDU(NDIM, NDIM), DFDP(NDIM, *)
  DOUBLE PRECISION, PARAMETER :: c = 0.05D0, k = 1D0, a = 0.1D0, kc = 0.25D0
  DOUBLE PRECISION :: s, p, q, r
  INTEGER :: n, i
  n = NDIM/2 - 1
  p = U(2*n + 1)
  q = U(2*n + 2)
  r = p*p + q*q
  DO i = 1, n
    F(i) = U(n + i)
    s = -k*U(i) - a*U(i)**3 - c*U(n + i)
    IF (i > 1) s = s - kc*(U(i) - U(i - 1))
    IF (i < n) s = s - kc*(U(i) - U(i + 1))
    F(n + i) = s
  END DO
  F(n + 1) = F(n + 1) + PAR(1)*p
  F(2*n + 1) = p - PAR(2)*q - p*r
  F(2*n + 2) = q + PAR(2)*p - q*r
  IF (IJAC == 0) RETURN
  DO i = 1, n
    DFDU(i, n + i) = 1
    DFDU(n + i, i) = -k - 3*a*U(i)**2
    DFDU(n + i, n + i) = -c
    IF (i > 1) THEN
      DFDU(n + i, i) = DFDU(n + i, i) - kc
      DFDU(n + i, i - 1) = kc
    END IF
    IF (i < n) THEN
      DFDU(n + i, i) = DFDU(n + i, i) - kc
      DFDU(n + i, i + 1) = kc
    END IF
  END DO
  DFDU(n + 1, 2*n + 1) = PAR(1)
  DFDU(2*n + 1, 2*n + 1) = 1 - 3*p*p - q*q
  DFDU(2*n + 1, 2*n + 2) = -PAR(2) - 2*p*q
  DFDU(2*n + 2, 2*n + 1) = PAR(2) - 2*p*q
  DFDU(2*n + 2, 2*n + 2) = 1 - p*p - 3*q*q
  IF (IJAC == 1) RETURN
  DFDP(n + 1, 1) = p
  DFDP(2*n + 1, 2) = -q
  DFDP(2*n + 2, 2) = p
END SUBROUTINE FUNC

SUBROUTINE STPNT(NDIM, U, PAR, T)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: NDIM
  DOUBLE PRECISION, INTENT(INOUT) :: U(NDIM), PAR(*)
  DOUBLE PRECISION, INTENT(IN) :: T
  DOUBLE PRECISION, PARAMETER :: TPI = 6.283185307179586D0
  PAR(1) = 0
  PAR(2) = 0.8D0
  PAR(11) = TPI/PAR(2)
  U = 0
  U(NDIM - 1) = COS(TPI*T)
  U(NDIM) = SIN(TPI*T)
END SUBROUTINE STPNT

SUBROUTINE BCND
END SUBROUTINE BCND
SUBROUTINE ICND
END SUBROUTINE ICND
SUBROUTINE FOPT
END SUBROUTINE FOPT
SUBROUTINE PVLS
END SUBROUTINE PVLS
